"""Asks a server by the official SDK; writes what it answered as JSON. Runs where requirements.txt is installed.

usage: sdk_client.py http URL [TOKEN] | sdk_client.py stdio COMMAND ARGUMENT ...

Standard input has the questions, a list of [tool, arguments]; the answers are {"version", "tools", "resources",
"cookbook", "calls": [{"text", "structured", "is_error"} or {"code", "message"}]}.
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from mcp.shared.exceptions import McpError


@asynccontextmanager
async def connected(kind, *rest):
    if kind == "http":
        url, *token = rest
        headers = {"Authorization": f"Bearer {token[0]}"} if token else {}
        async with streamablehttp_client(url, headers=headers) as (read, write, _):
            yield read, write
    else:
        async with stdio_client(StdioServerParameters(command=rest[0], args=list(rest[1:]))) as streams:
            yield streams


async def call(session, tool, arguments):
    try:
        result = await session.call_tool(tool, arguments)
    except McpError as error:
        return {"code": error.error.code, "message": error.error.message}
    return {"text": "".join(one.text for one in result.content), "structured": result.structuredContent,
            "is_error": result.isError}


async def main():
    questions = json.load(sys.stdin)
    async with connected(*sys.argv[1:]) as (read, write), ClientSession(read, write) as session:
        begun = await session.initialize()
        await session.send_ping()
        tools = (await session.list_tools()).tools
        resources = (await session.list_resources()).resources
        cookbook = (await session.read_resource(resources[0].uri)).contents[0].text
        calls = [await call(session, tool, arguments) for tool, arguments in questions]
    json.dump({"version": begun.protocolVersion, "name": begun.serverInfo.name,
               "tools": {tool.name: {"read_only": tool.annotations.readOnlyHint, "schema": tool.inputSchema}
                         for tool in tools},
               "resources": [str(one.uri) for one in resources], "cookbook": cookbook, "calls": calls}, sys.stdout)


asyncio.run(main())
