# SPDX-License-Identifier: Apache-2.0
"""The calls of a page to the server: seen one by one, and held up where a test wants it."""

import base64
import time

from screen import WAIT_SECONDS

REQUEST, RESPONSE = "Request", "Response"


class Calls:
    """What a page asks the server from now on. A call that is held goes no further."""

    def __init__(self, page, on_request=lambda method, message: None, on_answer=None):
        """on_request: told of each message that is let through to the server, before it goes; what
        it returns, if anything, goes in its place. on_answer: the same of unary answers."""
        self.page, self.on_request, self.on_answer = page, on_request, on_answer
        self.methods = []
        self.held = None
        self._at = None
        page.browser.handlers[page.session, "Fetch.requestPaused"] = self._paused
        page.send("Fetch.enable", patterns=[
            {"urlPattern": "*/atrest.sync.v1.*", "requestStage": stage}
            for stage in (REQUEST, RESPONSE)])

    def close(self):
        """Looks at no call any more: a page that closes answers nothing."""
        del self.page.browser.handlers[self.page.session, "Fetch.requestPaused"]
        self.page.send("Fetch.disable")

    def hold(self, number, stage):
        """Holds the call of this number from now on, from 1: before the server has it, or when the
        answer begins."""
        self.methods, self.held, self._at = [], None, (number, stage)

    def release(self):
        """Holds nothing more. What was held stays so: its page is gone."""
        self._at = None

    def cut(self):
        """Lets half of the held answer arrive, and then nothing."""
        whole = self.page.send("Fetch.getResponseBody", requestId=self.held["requestId"])["body"]
        part = base64.b64decode(whole)
        self.page.send("Fetch.fulfillRequest", requestId=self.held["requestId"],
            responseCode=200, responseHeaders=self.held["responseHeaders"],
            body=encoded(part[:len(part) // 2]))

    def until_held(self, is_over):
        """Waits until the call is held. Returns false if all was over without it."""
        until = time.monotonic() + WAIT_SECONDS
        while self.held is None and not is_over():
            assert time.monotonic() < until, f"neither held nor over, after {self.methods}"
        return self.held is not None

    def _paused(self, event):
        paused = event["params"]
        stage = RESPONSE if "responseStatusCode" in paused or "responseErrorReason" in paused \
            else REQUEST
        request = paused["request"]
        if self.page.is_cut and stage == REQUEST:
            # It would wait for the network here, and then go out.
            self.page.browser.post("Fetch.failRequest", session=self.page.session,
                requestId=paused["requestId"], errorReason="InternetDisconnected")
            return
        method = request["url"].rpartition("/")[2]
        if stage == REQUEST:
            self.methods.append(method)
        if self.held is None and self._at == (len(self.methods), stage):
            self.held = paused
            return
        change = self._request(method, request) if stage == REQUEST else self._answer(method, paused)
        command = "Fetch.fulfillRequest" if stage == RESPONSE and change else "Fetch.continueRequest"
        self.page.browser.post(command, session=self.page.session,
            requestId=paused["requestId"], **change)

    def _request(self, method, request):
        body = b"".join(base64.b64decode(part["bytes"])
            for part in request.get("postDataEntries", []))
        message = self.on_request(method, body[5:])
        return {} if message is None else {"postData": encoded(frame(message))}

    def _answer(self, method, paused):
        if not self.on_answer or method == "Watch" or "responseStatusCode" not in paused:
            return {}
        body = self.page.send("Fetch.getResponseBody", requestId=paused["requestId"])["body"]
        body = base64.b64decode(body)
        end = 5 + int.from_bytes(body[1:5], "big")
        if body[:1] != b"\0":
            return {}
        message = self.on_answer(method, body[5:end])
        return {"responseCode": 200, "responseHeaders": paused["responseHeaders"],
            "body": encoded(frame(message) + body[end:])}


def frame(message):
    return b"\0" + len(message).to_bytes(4, "big") + message


def encoded(body):
    return base64.b64encode(body).decode()
