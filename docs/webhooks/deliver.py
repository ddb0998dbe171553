"""Delivers one event. Needs BASE_URL, APP_CODE, SECRET in the environment, and the standard library alone."""
import hashlib
import hmac
import json
import os
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timezone

event = {"event_type": "invoice.paid", "data": {"number": "2026/117", "customer": "Ação Lda", "total": 1249.90}}
body = json.dumps(event).encode()  # serialized once: these bytes are signed, and these are sent
signature = hmac.new(os.environ["SECRET"].encode(), body, hashlib.sha256).hexdigest()

request = urllib.request.Request(
    f"{os.environ['BASE_URL']}/api/v1/webhooks/{os.environ['APP_CODE']}",
    data=body,
    headers={
        "Content-Type": "application/json",
        "X-Signature": signature,
        "X-Event-ID": os.environ.get("EVENT_ID") or str(uuid.uuid4()),
        "X-Timestamp": datetime.now(timezone.utc).isoformat(),
    },
)
try:
    with urllib.request.urlopen(request, timeout=30) as answer:
        print(answer.read().decode(), answer.status, sep="\n")
except urllib.error.HTTPError as refused:  # urllib raises for every status from 400 on
    print(refused.read().decode(), refused.code, sep="\n")
