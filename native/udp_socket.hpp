// A UDP socket that never waits, on POSIX and Windows.
#pragma once

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

#include <stdint.h>
#include <string.h>

#include <stdexcept>
#include <string>

namespace kinegen::python {

class UdpSocket {
public:
    // Receives on a port of this machine (0: any free one) at an address of it.
    UdpSocket(const std::string& address, int port) {
#ifdef _WIN32
        WSADATA data;
        if (WSAStartup(MAKEWORD(2, 2), &data) != 0) throw std::runtime_error("no sockets here");
#endif
        handle_ = ::socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);
        if (!is_open()) throw std::runtime_error("no UDP socket to be had");
        const sockaddr_in place = resolve(address, port);
        if (::bind(handle_, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) {
            close();
            throw std::runtime_error("UDP port " + std::to_string(port) + " of " + address +
                                     " is taken or not ours");
        }
#ifdef _WIN32
        u_long yes = 1;
        ioctlsocket(handle_, FIONBIO, &yes);
#else
        fcntl(handle_, F_SETFL, fcntl(handle_, F_GETFL, 0) | O_NONBLOCK);
#endif
    }
    UdpSocket(const UdpSocket&) = delete;
    UdpSocket& operator=(const UdpSocket&) = delete;
    ~UdpSocket() {
        close();
#ifdef _WIN32
        WSACleanup();
#endif
    }

    int port() const {
        sockaddr_in place{};
        socklen_t size = sizeof place;
        getsockname(handle_, reinterpret_cast<sockaddr*>(&place), &size);
        return ntohs(place.sin_port);
    }
    // Where packets go; without it, to whom the last one came from.
    void aim(const std::string& host, int port) {
        peer_ = resolve(host, port);
        is_fixed_ = has_peer_ = true;
    }
    bool has_peer() const { return has_peer_; }

    void send(const void* bytes, int size) {
        if (has_peer_)
            ::sendto(handle_, static_cast<const char*>(bytes), size, 0,
                     reinterpret_cast<const sockaddr*>(&peer_), sizeof peer_);
    }
    // Size of the next packet, -1 when there is none. The sender is known by trust().
    int receive(void* bytes, int room) {
        socklen_t size = sizeof from_;
        const auto got = ::recvfrom(handle_, static_cast<char*>(bytes), room, 0,
                                    reinterpret_cast<sockaddr*>(&from_), &size);
        return (int)got;
    }
    // The last sender said something sensible: answers go there.
    void trust() {
        if (is_fixed_) return;
        peer_ = from_;
        has_peer_ = true;
    }

private:
#ifdef _WIN32
    SOCKET handle_ = INVALID_SOCKET;
    bool is_open() const { return handle_ != INVALID_SOCKET; }
    void close() {
        if (is_open()) closesocket(handle_);
        handle_ = INVALID_SOCKET;
    }
#else
    int handle_ = -1;
    bool is_open() const { return handle_ >= 0; }
    void close() {
        if (is_open()) ::close(handle_);
        handle_ = -1;
    }
#endif
    sockaddr_in peer_{}, from_{};
    bool has_peer_ = false, is_fixed_ = false;

    static sockaddr_in resolve(const std::string& host, int port) {
        addrinfo wanted{};
        wanted.ai_family = AF_INET;
        wanted.ai_socktype = SOCK_DGRAM;
        addrinfo* found = nullptr;
        if (getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0 || !found)
            throw std::runtime_error("host " + host + " is not known");
        sockaddr_in place{};
        memcpy(&place, found->ai_addr, sizeof place);
        freeaddrinfo(found);
        place.sin_port = htons((uint16_t)port);
        return place;
    }
};

}  // namespace kinegen::python
