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
#include <errno.h>
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
        sockaddr_in place{};
        try {
            place = resolve(address, port);
        } catch (...) {
            close();
            throw;
        }
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

    // A place as one number: address and port.
    static uint64_t place_of(const std::string& host, int port) {
        return packed(resolve(host, port));
    }
    static bool is_loopback(uint64_t place) { return place >> 40 == 127; }
    // Where the port is open.
    uint64_t place() const {
        sockaddr_in place{};
        socklen_t size = sizeof place;
        getsockname(handle_, reinterpret_cast<sockaddr*>(&place), &size);
        return packed(place);
    }
    int port() const { return (int)(place() & 0xffff); }

    // Whether a packet went out; one that did not is lost, as any may be.
    bool send(const void* bytes, int size, uint64_t to) {
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_port = htons((uint16_t)to);
        place.sin_addr.s_addr = htonl((uint32_t)(to >> 16));
        return ::sendto(handle_, static_cast<const char*>(bytes), size, 0,
                        reinterpret_cast<const sockaddr*>(&place), sizeof place) == size;
    }
    // Size of the next packet, -1 when there is none. One that is larger than the room fills it.
    int receive(void* bytes, int room, uint64_t& from) {
        // errors of what was sent before (nobody there, network down) are reported here: not ours
        for (int tries = 0; tries < 8; ++tries) {
            sockaddr_in sender{};
            socklen_t size = sizeof sender;
            const auto got = ::recvfrom(handle_, static_cast<char*>(bytes), room, 0,
                                        reinterpret_cast<sockaddr*>(&sender), &size);
            if (got >= 0) {
                from = packed(sender);
                return (int)got;
            }
#ifdef _WIN32
            const int error = WSAGetLastError();
            if (error == WSAEMSGSIZE) return room;
            if (error == WSAEWOULDBLOCK) return -1;
#else
            if (errno == EAGAIN || errno == EWOULDBLOCK) return -1;
#endif
        }
        return -1;
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
    static uint64_t packed(const sockaddr_in& place) {
        return (uint64_t)ntohl(place.sin_addr.s_addr) << 16 | ntohs(place.sin_port);
    }
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
