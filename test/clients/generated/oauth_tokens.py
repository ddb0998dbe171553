"""Tokens by requests-oauthlib, as people use it: `client_credentials`, by Basic and in the body."""

import os

from oauthlib.oauth2 import BackendApplicationClient, InvalidClientError, InvalidScopeError
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

API, APP, SECRET = os.environ["API"], os.environ["APP"], os.environ["SECRET"]
TOKEN_URL = f"{API}/api/v1/auth/token"


def session(scope):
    return OAuth2Session(client=BackendApplicationClient(client_id=APP, scope=scope))


for options in (
    {"auth": HTTPBasicAuth(APP, SECRET)},
    {"auth": HTTPBasicAuth(APP, SECRET), "include_client_id": True},
    {"client_id": APP, "client_secret": SECRET, "include_client_id": True},
):
    client = session(["orgs:read"])
    token = client.fetch_token(TOKEN_URL, **options)
    assert token["scope"] == ["orgs:read"] and token["expires_in"] == 3600, token
    assert client.get(f"{API}/api/v1/orgs").status_code == 200
    assert client.post(f"{API}/api/v1/orgs", json={"name": "x", "slug": "x"}).status_code == 403

for error, scope, secret in ((InvalidScopeError, ["no:such"], SECRET), (InvalidClientError, [], "wrong")):
    try:
        session(scope).fetch_token(TOKEN_URL, auth=HTTPBasicAuth(APP, secret))
        raise SystemExit(f"no {error.__name__}")
    except error:
        pass
