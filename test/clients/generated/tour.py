"""The README's tour through the client that openapi-generator makes for Python."""

import hashlib
import hmac
import json
import os
import uuid

import custodia_client as custodia

configuration = custodia.Configuration(host=os.environ["API"])
client = custodia.ApiClient(configuration)

key = custodia.IntegrationsApi(client).create_integration(
    custodia.IntegrationCreate(app_code=f"acme-{uuid.uuid4()}", display_name="Acme billing")
)
login = custodia.AuthenticationApi(client).login(custodia.Login(app_code=key.app_code, secret=key.secret))
configuration.access_token = login.access_token

clients = custodia.ClientsApi(client)
tickets = custodia.TicketsApi(client)
resources = custodia.ResourcesApi(client)
terminals = custodia.TerminalsApi(client)

bistro = clients.create_client(custodia.ClientCreate(name="Bistro", slug="bistro"))
service = custodia.ServicesApi(client).create_service(
    custodia.ServiceCreate(client_id=custodia.ServiceCreateClientId(str(bistro.id)), name="Till", type="saas")
)
ticket = tickets.create_ticket(
    custodia.TicketCreate(
        client_id=custodia.TicketCreateClientId(str(bistro.id)),
        service_id=custodia.TicketCreateServiceId(str(service.id)),
        subject="No receipts",
        description="The printer is silent.",
        source="email",
        contact_id="5d0e3c1a-7b52-4f0e-9a51-2f1c8f6f7c11",
    )
)
assert ticket.ticket_code == "T-000001", ticket

page = tickets.list_tickets(status=["open"], page_size=1)
assert (page.total, page.data[0].id) == (1, ticket.id), page

resource = resources.create_resource(
    custodia.ResourceCreate(
        client_id=custodia.ResourceCreateClientId(str(bistro.id)), name="db-1", type="server"
    )
)
resources.create_resource_history_entry(
    resource.id, custodia.ResourceHistoryEntryCreate(cpu_usage=91, memory_usage=40, storage_usage=63)
)
assert clients.get_client(bistro.id).has_risks is True

once = str(uuid.uuid4())
made = [
    terminals.create_terminal(
        custodia.TerminalCreate(
            client_id=custodia.TerminalCreateClientId(str(bistro.id)), name="Front desk"
        ),
        idempotency_key=once,
    ).id
    for _ in range(2)
]
assert made[0] == made[1], made

try:
    clients.update_client(bistro.id, custodia.ClientPatch(plan="pro"), if_match='"7.outdated"')
    raise AssertionError("an outdated tag was accepted")
except custodia.ApiException as problem:
    assert problem.status == 412, problem
    assert json.loads(problem.body)["type"] == "urn:problem-type:custodia:precondition-failed", problem

event = custodia.WebhookDelivery(event_type="ticket.updated", data={"id": str(ticket.id), "status": "closed"})
body = json.dumps(event.to_dict())
signature = hmac.new(key.secret.encode(), body.encode(), hashlib.sha256).hexdigest()
receipt = custodia.WebhooksApi(client).receive_webhook(
    key.app_code, "evt-1", event, _headers={"X-Signature": signature}
)
assert receipt.received is True, receipt
assert tickets.get_ticket(ticket.id).status == "closed"
