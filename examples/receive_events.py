import hmac
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            data = Webhook(os.environ["SECRET"]).verify(body, dict(self.headers))["data"]
        except WebhookVerificationError:
            return self.send_error(401)
        self.send_response(200)
        self.end_headers()
        for event in data if isinstance(data, list) else [data]:
            print(self.headers["webhook-id"], event["type"], event["record_id"], flush=True)
            if "challenge" in event:  # a ping: what proves that this endpoint is yours
                answer = hmac.digest(os.environ["SECRET"].encode(), event["challenge"].encode(), "sha256").hex()
                self.wfile.write(answer.encode())


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver)
print("Listening on", server.server_address, flush=True)
server.serve_forever()
