"""One keep-alive connection to a server: the part of HTTP that this package needs."""

from __future__ import annotations

import base64
import http.client
import ssl
import urllib.parse
from typing import Mapping, NamedTuple, Optional

from lockstep.errors import LockstepError, Unreachable

USER_AGENT = "lockstep-python/0.1"


class Answer(NamedTuple):
    """A complete response. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpConnection:
    """Sends requests to one server and reads the responses; does not follow redirects.

    For one thread at a time. Opens the connection with the first request, keeps it open between
    requests, and reopens it if the server has closed it meanwhile.
    """

    def __init__(self, url: str, token: Optional[str] = None, timeout_s: float = 10.0) -> None:
        """`url` is http(s)://[USER:PASSWORD@]HOST[:PORT][/PREFIX]; `token` is a bearer token.

        `timeout_s` limits every single wait: to connect, to send, and for the next bytes. Raises
        LockstepError for an invalid URL.
        """
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise LockstepError(f"{url!r} is not a server URL: expected http://HOST:PORT")
        self._https = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._prefix = parts.path.rstrip("/")
        self._timeout_s = timeout_s
        self._headers = {"User-Agent": USER_AGENT}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        elif parts.username:
            pair = ":".join(urllib.parse.unquote(word or "") for word in (parts.username, parts.password))
            self._headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        self._open: Optional[http.client.HTTPConnection] = None

    @property
    def address(self) -> str:
        """Host and port as given, without credentials."""
        return f"{self._host}:{self._port}" if self._port else self._host

    def request(self, method: str, path: str, body: Optional[bytes] = None,
                headers: Optional[Mapping[str, str]] = None) -> Answer:
        """Sends a request that is safe to repeat, and returns its response.

        Raises Unreachable. After an error the next request opens a new connection.
        """
        if self._open is not None:
            try:
                return self._exchange(method, path, body, headers)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # The server closed an idle connection, which does not mean that it is unreachable.
                self.close()
            except (OSError, http.client.HTTPException) as error:
                self.close()
                raise self._unreachable(error) from error
        try:
            self._open = self._connection()
            return self._exchange(method, path, body, headers)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise self._unreachable(error) from error

    def close(self) -> None:
        """Closes the connection if it is open; the object stays usable."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _connection(self) -> http.client.HTTPConnection:
        if self._https:
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout_s,
                                               context=ssl.create_default_context())
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)

    def _exchange(self, method: str, path: str, body: Optional[bytes],
                  headers: Optional[Mapping[str, str]]) -> Answer:
        assert self._open is not None
        self._open.request(method, self._prefix + path, body, {**self._headers, **(headers or {})})
        response = self._open.getresponse()
        content = response.read()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()},
                      content)

    def _unreachable(self, error: Exception) -> Unreachable:
        words = str(error) or type(error).__name__
        return Unreachable(f"no answer from {self.address}: {words}")
