"""Makes gRPC calls in turn: each with a length and so many bytes from standard input.

usage: grpc_call.py ADDRESS METHOD     prints the responses as hexadecimal lines; needs grpcio
"""

import struct
import sys

import grpc


def messages(stream):
    while size := stream.read(4):
        yield stream.read(struct.unpack("<I", size)[0])


def as_it_is(message):
    return message


def main():
    address, method = sys.argv[1:]
    with grpc.insecure_channel(address) as channel:
        call = channel.unary_unary(method, request_serializer=as_it_is,
                                   response_deserializer=as_it_is)
        for message in messages(sys.stdin.buffer):
            print(call(message, timeout=60).hex())


if __name__ == "__main__":
    main()
