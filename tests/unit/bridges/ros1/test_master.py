"""The tables of a ROS 1 master, without a wire."""

from __future__ import annotations

from typing import Any

import pytest

from kinegen.bridges.ros1.master import Master
from kinegen.bridges.ros1.parameters import resolved

OWN, A, B = "http://robot:1/", "http://a:1/", "http://b:1/"


@pytest.fixture
def calls() -> list[tuple[Any, ...]]:
    return []


@pytest.fixture
def master(calls: list[tuple[Any, ...]]) -> Master:
    return Master(OWN, lambda uri, method, parameters: calls.append((uri, method, *parameters)))


def ask(master: Master, method: str, *parameters: Any) -> Any:
    """The value of a call that succeeds."""
    code, text, value = master.methods[method](*parameters)
    assert code == 1, text
    return value


def test_subscribers_hear_of_publishers_that_come_and_go(
    master: Master, calls: list[tuple[Any, ...]]
) -> None:
    assert ask(master, "registerSubscriber", "/a", "/t", "*", A) == []
    assert ask(master, "registerPublisher", "/b", "/t", "std_msgs/String", B) == [A]
    assert calls.pop() == (A, "publisherUpdate", "/master", "/t", [B])
    assert ask(master, "getTopicTypes", "/x") == [["/t", "std_msgs/String"]]
    assert ask(master, "getPublishedTopics", "/x", "") == [["/t", "std_msgs/String"]]
    assert ask(master, "getPublishedTopics", "/x", "/other") == []
    assert ask(master, "getSystemState", "/x") == [[["/t", ["/b"]]], [["/t", ["/a"]]], []]
    assert ask(master, "lookupNode", "/x", "/b") == B
    # what another address says about it is not believed
    assert ask(master, "unregisterPublisher", "/b", "/t", A) == 0
    assert ask(master, "unregisterPublisher", "/b", "/t", B) == 1
    assert calls.pop() == (A, "publisherUpdate", "/master", "/t", [])
    assert master.methods["lookupNode"]("/x", "/b")[0] == -1
    assert not calls


def test_a_node_that_is_gone_is_removed_everywhere(
    master: Master, calls: list[tuple[Any, ...]]
) -> None:
    ask(master, "registerSubscriber", "/a", "/t", "*", A)
    ask(master, "registerPublisher", "/b", "/t", "std_msgs/String", B)
    ask(master, "registerService", "/b", "/s", "rosrpc://b:2", B)
    assert ask(master, "lookupService", "/x", "/s") == "rosrpc://b:2"
    calls.clear()
    master.forget(B)
    assert calls == [(A, "publisherUpdate", "/master", "/t", [])]
    assert ask(master, "getSystemState", "/x") == [[], [["/t", ["/a"]]], []]
    assert master.methods["lookupService"]("/x", "/s")[0] == -1


def test_of_two_nodes_with_one_name_the_older_ends_but_the_robot_stays(
    master: Master, calls: list[tuple[Any, ...]]
) -> None:
    ask(master, "registerPublisher", "/a", "/t", "std_msgs/String", A)
    ask(master, "registerPublisher", "/a", "/t", "std_msgs/String", B)
    assert calls == [(A, "shutdown", "/master", "new node registered with name /a")]
    assert ask(master, "registerSubscriber", "/c", "/t", "*", A) == [B]
    ask(master, "registerPublisher", "/kinegen", "/clock", "rosgraph_msgs/Clock", OWN)
    with pytest.raises(ValueError, match="choose another name for the node"):
        master.methods["registerPublisher"]("/kinegen", "/clock", "rosgraph_msgs/Clock", A)


def test_parameters_are_a_tree(master: Master, calls: list[tuple[Any, ...]]) -> None:
    ask(master, "setParam", "/node", "/arm/gains", {"p": 1.5, "i": {"low": 2}})
    assert ask(master, "getParam", "/node", "/arm/gains/i/low") == 2
    assert ask(master, "getParam", "/arm/node", "gains") == {"p": 1.5, "i": {"low": 2}}
    assert ask(master, "getParamNames", "/x") == ["/arm/gains/i/low", "/arm/gains/p"]
    assert ask(master, "searchParam", "/arm/left/node", "gains/p") == "/arm/gains/p"
    assert master.methods["searchParam"]("/leg/node", "gains")[0] == -1
    assert ask(master, "hasParam", "/x", "/arm/gains/d") is False
    assert ask(master, "subscribeParam", "/a", A, "/arm") == {"gains": {"p": 1.5, "i": {"low": 2}}}
    assert ask(master, "subscribeParam", "/b", B, "/arm/gains/d") == {}
    ask(master, "setParam", "/node", "/arm/gains/p", 3)
    assert calls == [(A, "paramUpdate", "/master", "/arm/gains/p", 3)]
    calls.clear()
    ask(master, "deleteParam", "/node", "/arm/gains")
    assert sorted(calls) == [
        (A, "paramUpdate", "/master", "/arm/gains", {}),
        (B, "paramUpdate", "/master", "/arm/gains/d", {}),
    ]
    assert master.methods["deleteParam"]("/node", "/arm/gains")[0] == -1
    assert master.methods["getParam"]("/node", "/arm/gains")[0] == -1
    assert ask(master, "unsubscribeParam", "/a", A, "/arm") == 1
    assert master.methods["setParam"]("/node", "/", 3)[0] == -1


@pytest.mark.parametrize(
    ("caller", "name", "full"),
    [("/n", "/a//b/", "/a/b"), ("/s/n", "a", "/s/a"), ("/s/n", "~a", "/s/n/a"), ("/n", "", "/")],
)
def test_names_are_resolved(caller: str, name: str, full: str) -> None:
    assert resolved(caller, name) == full
