"""The README's tour through the client that openapi-python-client makes."""

import hashlib
import hmac
import json
import os
import uuid
from http import HTTPStatus
from typing import cast

from custodia_api_client import AuthenticatedClient, Client, models
from custodia_api_client.api.authentication import login
from custodia_api_client.api.clients import create_client, get_client, update_client
from custodia_api_client.api.integrations import create_integration
from custodia_api_client.api.resources import create_resource, create_resource_history_entry
from custodia_api_client.api.services import create_service
from custodia_api_client.api.terminals import create_terminal
from custodia_api_client.api.tickets import create_ticket, get_ticket, list_tickets
from custodia_api_client.api.webhooks import receive_webhook

api = os.environ["API"]
open_client = Client(base_url=api)

# A token is optional here; the generated types ask for one.
key = create_integration.sync(
    client=cast(AuthenticatedClient, open_client),
    body=models.IntegrationCreate(app_code=f"acme-{uuid.uuid4()}", display_name="Acme billing"),
)
assert isinstance(key, models.CreatedIntegration) and key.secret, key
access = login.sync(client=open_client, body=models.Login(app_code=key.app_code, secret=key.secret))
assert isinstance(access, models.AccessToken), access
client = AuthenticatedClient(base_url=api, token=access.access_token)

bistro = create_client.sync(client=client, body=models.ClientCreate(name="Bistro", slug="bistro"))
assert isinstance(bistro, models.ClientRecord), bistro
service = create_service.sync(
    client=client, body=models.ServiceCreate(client_id=str(bistro.id), name="Till", type_="saas")
)
assert isinstance(service, models.Service), service
ticket = create_ticket.sync(
    client=client,
    body=models.TicketCreate(
        client_id=str(bistro.id),
        service_id=str(service.id),
        subject="No receipts",
        description="The printer is silent.",
        source="email",
        contact_id=uuid.UUID("5d0e3c1a-7b52-4f0e-9a51-2f1c8f6f7c11"),
    ),
)
assert isinstance(ticket, models.Ticket) and ticket.ticket_code == "T-000001", ticket

page = list_tickets.sync(client=client, status=[models.ListTicketsStatusItem.OPEN], page_size=1)
assert isinstance(page, models.TicketSummaryPage) and (page.total, page.data[0].id) == (1, ticket.id), page

resource = create_resource.sync(
    client=client, body=models.ResourceCreate(client_id=str(bistro.id), name="db-1", type_="server")
)
assert isinstance(resource, models.Resource), resource
usage = models.ResourceHistoryEntryCreate(cpu_usage=91, memory_usage=40, storage_usage=63)
create_resource_history_entry.sync(resource.id, client=client, body=usage)
read = get_client.sync(bistro.id, client=client)
assert isinstance(read, models.ClientRecord) and read.has_risks is True, read

once = str(uuid.uuid4())
front_desk = models.TerminalCreate(client_id=str(bistro.id), name="Front desk")
made = [create_terminal.sync(client=client, body=front_desk, idempotency_key=once) for _ in range(2)]
assert isinstance(made[0], models.Terminal) and made[0] == made[1], made

refused = update_client.sync_detailed(
    bistro.id, client=client, body=models.ClientPatch(plan="pro"), if_match='"7.outdated"'
)
assert refused.status_code == HTTPStatus.PRECONDITION_FAILED, refused
assert isinstance(refused.parsed, models.Problem), refused
assert refused.parsed.type_ == "urn:problem-type:custodia:precondition-failed", refused

event = models.WebhookDelivery.from_dict(
    {"event_type": "ticket.updated", "data": {"id": str(ticket.id), "status": "closed"}}
)
# The HMAC may be that of the compact JSON, however the client writes the body.
body = json.dumps(event.to_dict(), separators=(",", ":"))
signature = hmac.new(key.secret.encode(), body.encode(), hashlib.sha256).hexdigest()
receipt = receive_webhook.sync(
    key.app_code,
    client=AuthenticatedClient(base_url=api, token=signature, prefix="", auth_header_name="X-Signature"),
    body=event,
    x_event_id="evt-1",
)
assert isinstance(receipt, models.WebhookReceipt) and receipt.received is True, receipt
closed = get_ticket.sync(ticket.id, client=client)
assert isinstance(closed, models.Ticket) and closed.status == "closed", closed
