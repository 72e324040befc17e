#!/usr/bin/env python3
"""Loads an echo server: opens many connections on 127.0.0.1, and checks every echo.

Usage: load.py PORT [--connections N] [--concurrent N] [--held N]

With --held it opens N more connections at the end, prints "held", and closes them
when its standard input ends. Exits 1 if an echo is wrong or a connection fails.
"""

import argparse
import concurrent.futures
import os
import socket
import sys

SECONDS = 60


def receive(connection, size):
    """Returns the next bytes: fewer than `size` only at the end."""
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        if not part:
            break
        parts += part
    return bytes(parts)


def exchange(connection, messages):
    for size in messages:
        sent = os.urandom(size)
        connection.sendall(sent)
        if receive(connection, size) != sent:
            sys.exit("load.py: the server did not echo what it received")


def session(port):
    """One connection from its start to its end, which the server confirms."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
        exchange(connection, (1, 100, 20_000))
        connection.shutdown(socket.SHUT_WR)
        if connection.recv(1):
            sys.exit("load.py: the server sent more than it received")


def main():
    parser = argparse.ArgumentParser(description="Loads an echo server.")
    parser.add_argument("port", type=int)
    parser.add_argument("--connections", type=int, default=1000, help="in all (default: 1000)")
    parser.add_argument("--concurrent", type=int, default=50, help="at a time (default: 50)")
    parser.add_argument("--held", type=int, default=0, help="kept open at the end (default: 0)")
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(options.concurrent) as pool:
        for _ in pool.map(lambda _: session(options.port), range(options.connections)):
            pass
    held = [
        socket.create_connection(("127.0.0.1", options.port), SECONDS) for _ in range(options.held)
    ]
    for connection in held:
        exchange(connection, (10,))
    if held:
        print("held", flush=True)
        sys.stdin.read()


main()
