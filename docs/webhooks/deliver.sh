#!/usr/bin/env bash
# Delivers one event. Needs curl and openssl, and BASE_URL, APP_CODE, SECRET in the environment.
set -euo pipefail

event_id="${EVENT_ID:-$(openssl rand -hex 16)}"
body='{"event_type":"invoice.paid","data":{"number":"2026/117","customer":"Ação Lda","total":1249.90}}'

# -r prints the digest first; -hmac takes the secret as it is, not hex.
signature="$(printf '%s' "$body" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d ' ' -f 1)"

# --data-binary sends exactly the bytes that were signed.
curl --silent --show-error --max-time 30 --write-out '\n%{http_code}\n' \
  --header 'Content-Type: application/json' \
  --header "X-Signature: $signature" \
  --header "X-Event-ID: $event_id" \
  --header "X-Timestamp: $(date -u +%Y-%m-%dT%H:%M:%SZ)" \
  --data-binary "$body" \
  "$BASE_URL/api/v1/webhooks/$APP_CODE"
