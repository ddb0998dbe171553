/**
 * The types of openapi.json, made by openapi-typescript: `npm run docs` writes this file, do not edit it.
 */

export interface paths {
    "/api/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in as an integration
         * @description The token is good for an hour. A wrong app code, a wrong secret and an inactive integration all get the same response. After several failures, logins with this app code from this address have to wait: `Retry-After` says how long. With the right secret, an integration of a suspended organization gets a 403. Needs no token.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a token with OAuth
         * @description The token endpoint of OAuth 2.0 (RFC 6749 §3.2), for tools and libraries that know it: the same token as that of a login, under the same limits. `client_id` is the app code. It and the secret are in the header `Authorization: Basic`, or in the body, and not in both. With `scope` the token may do less: what both the scope and the integration have. A token exchange (RFC 8693) gives a user a token for the one of its identity provider: it ends with that one, after an hour at the latest. Errors have the form of RFC 6749 §5.2; what the gateway refuses by itself is problem details. Needs no token. Extends the specification of this service.
         */
        post: operations["requestToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List clients
         * @description Needs the permission `clients:read`. Users of single clients see and change only what is of these.
         */
        get: operations["listClients"];
        /**
         * Create a client, or change the one with this slug or external id
         * @description The query has one of them. An existing client gets the fields that are sent, and keeps the others. With `If-Match` nothing is created, with `If-None-Match: *` nothing changed. Needs the permission `clients:write`. Extends the specification of this service.
         */
        put: operations["upsertClient"];
        /**
         * Create a client
         * @description Needs the permission `clients:write`.
         */
        post: operations["createClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a client
         * @description Needs the permission `clients:read`. Users of single clients see and change only what is of these.
         */
        get: operations["getClient"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a client
         * @description Needs the permission `clients:write`. Users of single clients see and change only what is of these.
         */
        patch: operations["updateClient"];
        trace?: never;
    };
    "/api/v1/clients/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of a client
         * @description The last 50 changes, as far as they are of the last 30 days, the newest first. Of texts of over 100 characters, lists, objects and secrets it says only that they changed, and so of the longest values where many fields changed at once. Needs the permission `clients:read`. Extends the specification of this service.
         */
        get: operations["listClientChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clients/{id}/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sum up what a client has
         * @description Services, resources, terminals and tickets by status, those that are unhealthy, and what they cost a month. At any size for tickets; of each other kind what 500 read units read. Needs the permission `clients:read`. Extends the specification of this service.
         */
        get: operations["summarizeClient"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clients/{id}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was done to a client
         * @description Newest first. Needs the permission `clients:read`.
         */
        get: operations["listClientActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List services
         * @description Needs the permission `services:read`. Users of single clients see and change only what is of these. Extends the specification of this service.
         */
        get: operations["listServices"];
        /**
         * Create a service, or change the one with this external id
         * @description An existing service gets the fields that are sent, and keeps the others. With `If-Match` nothing is created, with `If-None-Match: *` nothing changed. Needs the permission `services:write`. Extends the specification of this service.
         */
        put: operations["upsertService"];
        /**
         * Create a service
         * @description Needs the permission `services:write`. Users of single clients see and change only what is of these. Extends the specification of this service.
         */
        post: operations["createService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count services by a field
         * @description Takes the filters of the list. A field with a closed set of values is counted at any size by the filters that work at any size, but `q`; all others where few records are left to read. Needs the permission `services:read`. Extends the specification of this service.
         */
        get: operations["summarizeServices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a service
         * @description Needs the permission `services:read`. Users of single clients see and change only what is of these.
         */
        get: operations["getService"];
        put?: never;
        post?: never;
        /**
         * Delete a service
         * @description Refused while resources belong to the service. Its tickets and actions keep its id, as history. Needs the permission `services:write`.
         */
        delete: operations["deleteService"];
        options?: never;
        head?: never;
        /**
         * Change a service
         * @description A change that names `health_status` is a health check: it moves `last_health_check` to now, or to the time that it names. Needs the permission `services:write`. Users of single clients see and change only what is of these.
         */
        patch: operations["updateService"];
        trace?: never;
    };
    "/api/v1/services/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of a service
         * @description The last 50 changes, as far as they are of the last 30 days, the newest first. Of texts of over 100 characters, lists, objects and secrets it says only that they changed, and so of the longest values where many fields changed at once. Needs the permission `services:read`. Extends the specification of this service.
         */
        get: operations["listServiceChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a service
         * @description For 30 days after its deletion, as it was then, with a higher version. One that is there is returned as it is. `GET /trash` lists what can be restored. Needs the permission `services:write`. Extends the specification of this service.
         */
        post: operations["restoreService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/client/{client_id}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a service of a client
         * @description Needs the permission `services:read`. Users of single clients see and change only what is of these.
         */
        get: operations["getServiceOfClient"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List resources
         * @description Needs the permission `resources:read`. Users of single clients see and change only what is of these. Extends the specification of this service.
         */
        get: operations["listResources"];
        /**
         * Create a resource, or change the one with this external id
         * @description An existing resource gets the fields that are sent, and keeps the others. With `If-Match` nothing is created, with `If-None-Match: *` nothing changed. If several resources have the `external_id`, it is a 409. Needs the permission `resources:write`. Extends the specification of this service.
         */
        put: operations["upsertResource"];
        /**
         * Create a resource
         * @description Needs the permission `resources:write`. Users of single clients see and change only what is of these. Extends the specification of this service.
         */
        post: operations["createResource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resources/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a resource
         * @description Needs the permission `resources:read`. Users of single clients see and change only what is of these.
         */
        get: operations["getResource"];
        put?: never;
        post?: never;
        /**
         * Delete a resource
         * @description Its history goes with it. Its tickets keep its id, as history. Needs the permission `resources:write`.
         */
        delete: operations["deleteResource"];
        options?: never;
        head?: never;
        /**
         * Change a resource
         * @description A change that names usage or `health_status` is a report: it moves `last_health_check` and leaves a sample in the history. A usage that nobody has reported yet is 0 in the sample. Needs the permission `resources:write`. Users of single clients see and change only what is of these.
         */
        patch: operations["updateResource"];
        trace?: never;
    };
    "/api/v1/resources/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of a resource
         * @description The last 50 changes, as far as they are of the last 30 days, the newest first. Of texts of over 100 characters, lists, objects and secrets it says only that they changed, and so of the longest values where many fields changed at once. Needs the permission `resources:read`. Extends the specification of this service.
         */
        get: operations["listResourceChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resources/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a resource to another client
         * @description Refused while it has a service: that is moved with all its resources. Needs the permission `resources:write`. Extends the specification of this service.
         */
        post: operations["moveResource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a service with its resources to another client
         * @description With 20 resources at most; with any it needs `resources:write`, too. Its tickets and actions stay as they are. Needs the permission `services:write`. Extends the specification of this service.
         */
        post: operations["moveService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resources/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a resource
         * @description For 30 days after its deletion, as it was then, with a higher version. One that is there is returned as it is. `GET /trash` lists what can be restored. Needs the permission `resources:write`. Extends the specification of this service.
         */
        post: operations["restoreResource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resources/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the history of a resource
         * @description In the order in which the samples arrived, newest first. Needs the permission `resources:read`.
         */
        get: operations["listResourceHistory"];
        put?: never;
        /**
         * Report metrics of a resource
         * @description The resource takes over usage and health, unless it already knows of a later check. Without `timestamp` the sample is of now. Needs the permission `resources:write`. Extends the specification of this service.
         */
        post: operations["createResourceHistoryEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/maintenance-windows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List maintenance windows
         * @description Needs the permission `maintenance-windows:read`. Extends the specification of this service.
         */
        get: operations["listMaintenanceWindows"];
        put?: never;
        /**
         * Create a maintenance window
         * @description An organization has at most 100 windows that have not ended; another one is a 409. Needs the permission `maintenance-windows:write`. Extends the specification of this service.
         */
        post: operations["createMaintenanceWindow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/maintenance-windows/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a maintenance window
         * @description Needs the permission `maintenance-windows:read`. Extends the specification of this service.
         */
        get: operations["getMaintenanceWindow"];
        put?: never;
        post?: never;
        /**
         * Delete a maintenance window
         * @description Needs the permission `maintenance-windows:write`. Extends the specification of this service.
         */
        delete: operations["deleteMaintenanceWindow"];
        options?: never;
        head?: never;
        /**
         * Change a maintenance window
         * @description To end one now, set `to`. Needs the permission `maintenance-windows:write`. Extends the specification of this service.
         */
        patch: operations["updateMaintenanceWindow"];
        trace?: never;
    };
    "/api/v1/service-actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List service actions
         * @description Needs the permission `service-actions:read`.
         */
        get: operations["listServiceActions"];
        put?: never;
        /**
         * Record a service action, or ask for one
         * @description An action is recorded as `completed` unless `status` says otherwise. With `run` it is `pending`, for a runner to claim: this needs the permission `service-actions:request`, and no webhook can. Needs the permission `service-actions:write`.
         */
        post: operations["createServiceAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/service-actions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a service action
         * @description Needs the permission `service-actions:read`.
         */
        get: operations["getServiceAction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/service-actions/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim an action to carry out
         * @description Gives the action that has been due for the longest time to one runner, until the lease ends. An action whose lease has ended is given to the next one, 3 times in all, and has failed after that. A claim that meets too many others returns nothing: ask again after a random while. Needs the permission `service-actions:run`. Extends the specification of this service.
         */
        post: operations["claimServiceAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/service-actions/{id}/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stay at work on an action
         * @description Extends the lease. A 409 says that the runner has lost it, or that the action was cancelled. Needs the permission `service-actions:run`. Extends the specification of this service.
         */
        post: operations["extendServiceAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/service-actions/{id}/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish an action
         * @description A second request with the same lease and status changes nothing. A 409 as for a heartbeat. Needs the permission `service-actions:run`. Extends the specification of this service.
         */
        post: operations["finishServiceAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/service-actions/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an action
         * @description The runner of a running one learns of it by its next request, which is a 409. Needs the permission `service-actions:request`. Extends the specification of this service.
         */
        post: operations["cancelServiceAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/terminals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List terminals
         * @description Needs the permission `terminals:read`. Users of single clients see and change only what is of these.
         */
        get: operations["listTerminals"];
        /**
         * Create a terminal, or change the one with this external id
         * @description An existing terminal gets the fields that are sent, and keeps the others. With `If-Match` nothing is created, with `If-None-Match: *` nothing changed. Needs the permission `terminals:write`. Extends the specification of this service.
         */
        put: operations["upsertTerminal"];
        /**
         * Create a terminal
         * @description Needs the permission `terminals:write`. Users of single clients see and change only what is of these.
         */
        post: operations["createTerminal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/terminals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a terminal
         * @description Needs the permission `terminals:read`. Users of single clients see and change only what is of these.
         */
        get: operations["getTerminal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a terminal
         * @description Needs the permission `terminals:write`. Users of single clients see and change only what is of these.
         */
        patch: operations["updateTerminal"];
        trace?: never;
    };
    "/api/v1/terminals/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of a terminal
         * @description The last 50 changes, as far as they are of the last 30 days, the newest first. Of texts of over 100 characters, lists, objects and secrets it says only that they changed, and so of the longest values where many fields changed at once. Needs the permission `terminals:read`. Extends the specification of this service.
         */
        get: operations["listTerminalChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/terminals/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a terminal to another client
         * @description Needs the permission `terminals:write`. Extends the specification of this service.
         */
        post: operations["moveTerminal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tickets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tickets
         * @description Needs the permission `tickets:read`. Users of single clients see and change only what is of these.
         */
        get: operations["listTickets"];
        /**
         * Create a ticket, or change the one with this external id
         * @description An existing ticket gets the fields that are sent, and keeps the others. With `If-Match` nothing is created, with `If-None-Match: *` nothing changed. Needs the permission `tickets:write`. Extends the specification of this service.
         */
        put: operations["upsertTicket"];
        /**
         * Open a ticket
         * @description A service, resource or terminal that it names must be of its client, if it names one. Without a `ticket_code` the ticket gets one from the sequence: `T-000042`. Needs the permission `tickets:write`. Users of single clients see and change only what is of these.
         */
        post: operations["createTicket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tickets/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count tickets by a field
         * @description Takes the filters of the list. A field with a closed set of values is counted at any size by the filters that work at any size, but `q`; all others where few records are left to read. Needs the permission `tickets:read`. Extends the specification of this service.
         */
        get: operations["summarizeTickets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tickets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a ticket
         * @description Needs the permission `tickets:read`. Users of single clients see and change only what is of these.
         */
        get: operations["getTicket"];
        put?: never;
        post?: never;
        /**
         * Delete a ticket with its messages
         * @description Needs the permission `tickets:write`.
         */
        delete: operations["deleteTicket"];
        options?: never;
        head?: never;
        /**
         * Change a ticket
         * @description Needs the permission `tickets:write`. Users of single clients see and change only what is of these.
         */
        patch: operations["updateTicket"];
        trace?: never;
    };
    "/api/v1/tickets/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of a ticket
         * @description The last 50 changes, as far as they are of the last 30 days, the newest first. Of texts of over 100 characters, lists, objects and secrets it says only that they changed, and so of the longest values where many fields changed at once. Needs the permission `tickets:read`. Extends the specification of this service.
         */
        get: operations["listTicketChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tickets/{id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge a ticket into another one
         * @description It is closed for good. Its messages stay where they are: `GET /tickets/{id}/messages?merged=true` of the other one shows both. A ticket takes in 10 others at most, with those that they have taken in. Needs the permission `tickets:write`. Extends the specification of this service.
         */
        post: operations["mergeTicket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tickets/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a ticket
         * @description For 30 days after its deletion, as it was then, with a higher version. One that is there is returned as it is. `GET /trash` lists what can be restored. Needs the permission `tickets:write`. Extends the specification of this service.
         */
        post: operations["restoreTicket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tickets/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages of a ticket
         * @description Oldest first, unless `sort` says otherwise. Needs the permission `tickets:read`. Users of single clients see and change only what is of these.
         */
        get: operations["listTicketMessages"];
        put?: never;
        /**
         * Add a message to a ticket
         * @description Needs the permission `tickets:write`. Users of single clients see and change only what is of these.
         */
        post: operations["createTicketMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tickets/{id}/messages/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a message of a ticket
         * @description Needs the permission `tickets:read`. Users of single clients see and change only what is of these. Extends the specification of this service.
         */
        get: operations["getTicketMessage"];
        put?: never;
        post?: never;
        /**
         * Delete the text of a message
         * @description The message stays in its place; its text is `removed`. Needs the permission `tickets:write`. Extends the specification of this service.
         */
        delete: operations["deleteTicketMessage"];
        options?: never;
        head?: never;
        /**
         * Change the text of a message
         * @description It says by `edited_at` that it was changed. One that was deleted is a 404. Needs the permission `tickets:write`. Extends the specification of this service.
         */
        patch: operations["updateTicketMessage"];
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Needs the permission `users:read`. Extends the specification of this service.
         */
        get: operations["listUsers"];
        /**
         * Create a user, or change the one with this external id
         * @description An existing user gets the fields that are sent, under the conditions of a change, and keeps the others. With `If-Match` nothing is created, with `If-None-Match: *` nothing changed. Needs the permission `users:write`. Extends the specification of this service.
         */
        put: operations["upsertUser"];
        /**
         * Create a user
         * @description Needs the permission `users:write`. Extends the specification of this service.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user
         * @description Needs the permission `users:read`.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Delete a user without memberships
         * @description Only platform callers delete superadmins. Needs the permission `users:write`. Extends the specification of this service.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description A change of `email` or `is_active` needs all permissions of the roles of the user. Only platform callers change `is_superadmin`, and any field of a superadmin. A user does not become one with an identity that a caller with fewer permissions has linked: 409. Needs the permission `users:write`.
         */
        patch: operations["updateUser"];
        trace?: never;
    };
    "/api/v1/users/{id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of a user
         * @description The last 50 changes, as far as they are of the last 30 days, the newest first. Of texts of over 100 characters, lists, objects and secrets it says only that they changed, and so of the longest values where many fields changed at once. Needs the permission `users:read`. Extends the specification of this service.
         */
        get: operations["listUserChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the identities of a user
         * @description By what identity providers know it, the oldest first. Needs the permission `users:read`. Extends the specification of this service.
         */
        get: operations["listUserIdentities"];
        put?: never;
        /**
         * Link an identity to a user
         * @description Who signs in by it is this user. At most ten a user. Needs all permissions of the roles of the user; for superadmins a platform caller. Needs the permission `users:write`. Extends the specification of this service.
         */
        post: operations["linkIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/identities/{identity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink an identity of a user
         * @description The tokens of the user end. Needs all permissions of the roles of the user; for superadmins a platform caller. Needs the permission `users:write`. Where the request budget is spent, five a minute are still served for each token, if they only take power away. Extends the specification of this service.
         */
        delete: operations["unlinkIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a user may do
         * @description Or could do, while its organization does not let users in. Needs `memberships:read`, too. Needs the permission `users:read`. Extends the specification of this service.
         */
        get: operations["getUserAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/revoke-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the tokens of a user
         * @description It may sign in again. Needs all permissions of the roles of the user; for superadmins a platform caller. Needs the permission `users:write`. Where the request budget is spent, five a minute are still served for each token, if they only take power away. Extends the specification of this service.
         */
        post: operations["revokeUserTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/offboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a user leave
         * @description It is inactive at once, without tokens and identities. Its memberships become inactive and its open tickets nobody’s: some 20 memberships and 110 tickets a request. Repeat it until `done`. Needs all permissions of the roles of the user; for superadmins a platform caller. Needs the permission `users:write`. Where the request budget is spent, five a minute are still served for each token, if they only take power away. Extends the specification of this service.
         */
        post: operations["offboardUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/memberships": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the memberships of a user
         * @description Oldest first. Needs the permission `memberships:read`.
         */
        get: operations["listUserMemberships"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/memberships": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a user a member
         * @description Of the organization, or of one of its clients. Needs all permissions of the role. A user has at most 20 active memberships with permissions, in at most 10 clients: one more is a 409, and so is what gives more than who linked an identity of the user has. Needs the permission `memberships:write`.
         */
        post: operations["createMembership"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/memberships": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List memberships
         * @description Needs the permission `memberships:read`. Extends the specification of this service.
         */
        get: operations["listMemberships"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List roles
         * @description Needs the permission `roles:read`.
         */
        get: operations["listRoles"];
        put?: never;
        /**
         * Create a role
         * @description Needs the permission `roles:write`.
         */
        post: operations["createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the permissions there are
         * @description The same for every caller, in order of their codes. Needs the permission `permissions:read`.
         */
        get: operations["listPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/memberships/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a membership
         * @description Needs the permission `memberships:read`.
         */
        get: operations["getMembership"];
        put?: never;
        post?: never;
        /**
         * Delete a membership
         * @description Needs all permissions of the role. Only platform callers delete a membership with a system role, and any of a superadmin. Needs the permission `memberships:write`. Extends the specification of this service.
         */
        delete: operations["deleteMembership"];
        options?: never;
        head?: never;
        /**
         * Change a membership
         * @description Needs all permissions of the role, of the earlier one too. Only platform callers change a membership with a system role, and any of a superadmin. A user has at most 20 active memberships with permissions, in at most 10 clients: one more is a 409, and so is what gives more than who linked an identity of the user has. Needs the permission `memberships:write`.
         */
        patch: operations["updateMembership"];
        trace?: never;
    };
    "/api/v1/tickets/{id}/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the attachments of a ticket
         * @description Those that were uploaded, in order of creation. Needs the permission `tickets:read`. Extends the specification of this service.
         */
        get: operations["listAttachments"];
        put?: never;
        /**
         * Announce an attachment
         * @description Send its bytes to `upload` within 15 minutes, and complete it within an hour; else it is dropped. A ticket has at most 100, and all of an organization have a bound in bytes, to which announced ones count: 409 beyond. Needs the permission `tickets:write`. Extends the specification of this service.
         */
        post: operations["createAttachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tickets/{id}/attachments/{attachment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an attachment, and where its bytes are
         * @description Needs the permission `tickets:read`. Extends the specification of this service.
         */
        get: operations["getAttachment"];
        put?: never;
        post?: never;
        /**
         * Delete an attachment
         * @description Needs the permission `tickets:write`. Extends the specification of this service.
         */
        delete: operations["deleteAttachment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tickets/{id}/attachments/{attachment_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete an upload
         * @description Where its bytes have not arrived it is a 409; a completed one is returned as it is. Needs the permission `tickets:write`. Extends the specification of this service.
         */
        post: operations["completeAttachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alerts/alertmanager": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send alerts of Alertmanager or Grafana
         * @description A firing alert opens a ticket, once until it is over; that closes it, unless it was changed. After a 503, whose `alerts` say what was done, send the same again. Needs the permission `alerts:write`. Extends the specification of this service.
         */
        post: operations["receiveAlertsOfAlertmanager"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alerts/custodia": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an alert of another system
         * @description A firing alert opens a ticket, once until it is over; that closes it, unless it was changed. After a 503, whose `alerts` say what was done, send the same again. Needs the permission `alerts:write`. Extends the specification of this service.
         */
        post: operations["receiveAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what can be restored
         * @description Needs the permission to read records of the kind, such as `tickets:read`. Needs a token, and no permission. Extends the specification of this service.
         */
        get: operations["listTrash"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trash/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End what can be restored
         * @description The record cannot be restored any more, and what belongs to it is deleted. Needs the permission to write records of its kind, such as `tickets:write`. Needs a token, and no permission. Extends the specification of this service.
         */
        delete: operations["endTrashed"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Carry out many operations
         * @description Each operation needs its own permission, counts to the request budget, and succeeds or fails alone. Those that name the same record are carried out in their order, others up to 8 at a time. What has not begun after 12 s, or when the budget is spent, is `not-attempted`: send it again. Needs a token, and no permission. Extends the specification of this service.
         */
        post: operations["runBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message of the Model Context Protocol
         * @description Stateless (2026-07-28), and for older clients by `initialize` without a session. Tools are operations of this document, for those who have their permissions. A call counts to the request budget beside the message. Needs a token, and no permission. Extends the specification of this service.
         */
        post: operations["sendMcpMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List organizations
         * @description For platform callers. Needs the permission `orgs:read`. Extends the specification of this service.
         */
        get: operations["listOrgs"];
        put?: never;
        /**
         * Create an organization
         * @description For platform callers. Needs the permission `orgs:write`. Extends the specification of this service.
         */
        post: operations["createOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an organization
         * @description Needs the permission `orgs:read`.
         */
        get: operations["getOrg"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an organization
         * @description Needs the permission `orgs:write`.
         */
        patch: operations["updateOrg"];
        trace?: never;
    };
    "/api/v1/identity-providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List identity providers
         * @description Needs the permission `identity-providers:read`. Extends the specification of this service.
         */
        get: operations["listIdentityProviders"];
        put?: never;
        /**
         * Create an identity provider
         * @description Needs a caller with all permissions. An organization has at most 20: one more is a 409. Needs the permission `identity-providers:write`. Extends the specification of this service.
         */
        post: operations["createIdentityProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/identity-providers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an identity provider
         * @description Needs the permission `identity-providers:read`. Extends the specification of this service.
         */
        get: operations["getIdentityProvider"];
        put?: never;
        post?: never;
        /**
         * Delete an identity provider
         * @description Needs a caller with all permissions. Refused while users have identities of it: set it inactive instead. Needs the permission `identity-providers:write`. Extends the specification of this service.
         */
        delete: operations["deleteIdentityProvider"];
        options?: never;
        head?: never;
        /**
         * Change an identity provider
         * @description Needs a caller with all permissions. Needs the permission `identity-providers:write`. Extends the specification of this service.
         */
        patch: operations["updateIdentityProvider"];
        trace?: never;
    };
    "/api/v1/integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List integrations
         * @description Needs the permission `integrations:read`.
         */
        get: operations["listIntegrations"];
        put?: never;
        /**
         * Register an integration
         * @description The response shows the secret, once. An organization may have 200 active integrations: one more is a 409, except for a platform caller. If the stage allows it, a call without a token creates a new organization with its first integration, under the `org_id` given or a new one. Needs the permission `integrations:write`, or no token where the stage lets anyone make a first key.
         */
        post: operations["createIntegration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an integration
         * @description Needs the permission `integrations:read`.
         */
        get: operations["getIntegration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an integration
         * @description An inactive integration cannot log in. Its tokens have ended, also when it is active again: privileged operations are refused at once, all others within a minute, unless the stage sets another time. The last active integration of an organization with all permissions cannot be set inactive or lose permissions, except by a platform caller: 409. If an integration gets more permissions, secrets that were set or seen with fewer end, with their tokens, and the response has a new one. Needs the permission `integrations:write`. Where the request budget is spent, five a minute are still served for each token, if they only take power away.
         */
        patch: operations["updateIntegration"];
        trace?: never;
    };
    "/api/v1/integrations/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an integration a new secret
         * @description The new secret is valid at once, the one before for as long as `previous_valid_for` says. There are never more than two: the oldest ends. A token ends with the secret that made it; with 0 all tokens of the integration end, so a caller that rotates its own secret is not shown it a second time. Needs the permission `integrations:write`. Where the request budget is spent, five a minute are still served for each token, if they only take power away. Extends the specification of this service.
         */
        post: operations["rotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}/revoke-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the tokens of an integration
         * @description Its secrets stay: log in for a new token. Privileged operations are refused to an ended token at once, all others within a minute, unless the stage sets another time. Needs the permission `integrations:write`. Where the request budget is spent, five a minute are still served for each token, if they only take power away. Extends the specification of this service.
         */
        post: operations["revokeTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who you are
         * @description The integration or user of the token, its organization, permissions and request budgets, and when the token ends. A change of permissions or limit shows within a minute, unless the stage sets another time. Needs a token, and no permission. Extends the specification of this service.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what was used
         * @description Records are counted exactly, requests of the last 62 days approximately. A request counts when a budget admits it, whatever its response, and a webhook for its integration. Logins and 429 do not count; what a platform caller does counts for the platform. Users are left out. A page has up to 200 integrations: `Link` leads to the next ones. Needs the permission `usage:read`. Extends the specification of this service.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what happens
         * @description Returns the events after a cursor, the oldest first, and the cursor `next` that continues: so a caller gets every event of the last 30 days, in order. Without `after` it begins with the oldest event. With `after=latest` it has none, and a cursor for what happens from now on. Only events of records that the caller may read are returned, from at most 1,000 events or 4 MB of records. Needs the permission `events:read`. Extends the specification of this service.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{app_code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver an event
         * @description An event of an entity of this API does what the operation of the same name does; every other event is stored, and the response says so. Members of `data` that the operation does not take are ignored, and named in the record of the event. A 409 `event-already-processed` is a success for the sender. A delivery counts to the request budget of the integration. After several wrong signatures, deliveries with this app code from this address have to wait: `Retry-After` says how long. Needs the signature of the body instead of a token.
         */
        post: operations["receiveWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List received events
         * @description Events are kept for 30 days. Needs the permission `webhooks:read`. Extends the specification of this service.
         */
        get: operations["listWebhookEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a received event
         * @description Needs the permission `webhooks:read`. Extends the specification of this service.
         */
        get: operations["getWebhookEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description Needs the permission `webhook-endpoints:read`. Extends the specification of this service.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description It gets the events of changes from now on, once its receiver has answered a ping with the HMAC-SHA256 of its `challenge`, or somebody has sent that to `…/verify`. The response shows the secret that signs deliveries, once. The caller needs all permissions of the integration. An organization has at most 10 pings an hour, and 20 endpoints: one more is a 409, except for a platform caller. Needs the permission `webhook-endpoints:write`. Extends the specification of this service.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook endpoint
         * @description With how far it is, and how many events are kept for it. Needs the permission `webhook-endpoints:read`. Extends the specification of this service.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Only a delivery that is under way is still made. The caller needs all permissions of the integration. Needs the permission `webhook-endpoints:write`. Extends the specification of this service.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description A caller that changes more than `description` needs all permissions of the integration. `{ "status": "active" }` confirms an endpoint that is `paused`: look at its `url` before. At another `url` it is `unverified` until the receiver there has answered a ping. Only a replay makes one that is `expired` active. Needs the permission `webhook-endpoints:write`. Extends the specification of this service.
         */
        patch: operations["updateWebhookEndpoint"];
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook endpoint a new secret
         * @description Deliveries have a signature with the new secret at once, and one with the secret before for as long as `previous_valid_for` says. There are never more than two: the oldest ends. Needs the permission `webhook-endpoints:write`. Extends the specification of this service.
         */
        post: operations["rotateWebhookEndpointSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event to an endpoint, as a trial
         * @description An event `webhook_endpoint.pinged` is delivered in its turn to this endpoint only, whatever its `event_types`. One that is `unverified` is asked for proof, with a new `challenge`. Only an active or unverified endpoint can be pinged; an organization has 10 pings an hour. Needs the permission `webhook-endpoints:write`. Extends the specification of this service.
         */
        post: operations["pingWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an endpoint by hand
         * @description For a receiver that cannot answer a ping. The caller needs all permissions of the integration. Needs the permission `webhook-endpoints:write`. Extends the specification of this service.
         */
        post: operations["verifyWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver from another place on
         * @description Back, to repeat what was delivered, or forward, to leave events out. An endpoint that is `expired` becomes active; one that is paused or disabled stays so. One replay back a minute, and ten an hour, begin in an organization: others wait until `waits_until`, and one that would wait for more than an hour is a 429. Needs the permission `webhook-endpoints:write`. Extends the specification of this service.
         */
        post: operations["replayWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List failed deliveries of an endpoint
         * @description Those of the last seven days. When a delivery last succeeded is in the endpoint. Needs the permission `webhook-endpoints:read`. Extends the specification of this service.
         */
        get: operations["listWebhookEndpointAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List log entries
         * @description Needs the permission `logs:read`.
         */
        get: operations["listLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/logs/ingest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take in log entries
         * @description One entry, or up to 45 of them as `entries`. Needs the permission `logs:write`.
         */
        post: operations["ingestLog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit events
         * @description What was done to the records of an organization, also by platform callers, is in its own audit log. Events are kept for 400 days unless the stage sets another time. Needs the permission `audit:read`. Extends the specification of this service.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit-events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an audit event
         * @description Needs the permission `audit:read`. Extends the specification of this service.
         */
        get: operations["getAuditEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the documentation
         * @description The first page for people: how to begin. It leads to the others. Needs no token. Extends the specification of this service.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a page of the documentation, or a file of a page
         * @description The pages are `reference`, in which every operation can be tried, `problems`, which explains the `type` of every problem, and `guides`. Names of styles and scripts change with their content, so they can be kept for a year. Needs no token. Extends the specification of this service.
         */
        get: operations["getDocsFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the service
         * @description Returns 200 when a request reaches its function and the function can read the database. Needs no token. Extends the specification of this service.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the token keys
         * @description A JWK set (RFC 7517). It holds two keys while one replaces the other: the new one is published before it signs, the old one until its last token has expired. Needs no token. Extends the specification of this service.
         */
        get: operations["getTokenKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read where clients get tokens
         * @description What libraries of OAuth ask for first (RFC 8414). A stage without a domain name of its own has it below its path, `/prod/.well-known/…`, where RFC 8414 does not look for it. Needs no token. Extends the specification of this service.
         */
        get: operations["getAuthorizationServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-protected-resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who issues its tokens
         * @description What a client of an unknown API asks for (RFC 9728): here the service issues its tokens itself. Needs no token. Extends the specification of this service.
         */
        get: operations["getProtectedResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the OpenAPI document
         * @description This document: OpenAPI 3.1.0, complete. Needs no token.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The credentials of an integration. */
        Login: {
            /**
             * @description Which integration logs in: as it was registered.
             * @example acme-billing
             */
            app_code: string;
            /**
             * Format: password
             * @description As the registration or the last rotation showed it.
             * @example cst_2c7vXyN0q5b8Jr4kT1mWfZ6hLsPdEoGuAiRxBnYtCvQ
             */
            secret: string;
        };
        /** @description What a login returns (RFC 6749 §5.1). */
        AccessToken: {
            /**
             * @description A JWT to send as `Authorization: Bearer <token>`.
             * @example eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlRfb3ZtIn0.eyJ0eXBlIjoiYXBpX2tleSJ9.c2lnbmF0dXJl
             */
            access_token: string;
            /**
             * @description How the token is sent: as a bearer token (RFC 6750).
             * @constant
             */
            token_type: "bearer";
            /**
             * Format: int32
             * @description Seconds from now on in which the token is good.
             * @example 3600
             */
            expires_in: number;
        };
        /** @description Problem details (RFC 9457). Members that you do not know are to be ignored. */
        Problem: {
            /**
             * @description Identifies the kind of problem, and stays as it is. Later releases may add others. Behind the `#` of `/api/v1/docs/problems` it leads to its cause and what to do.
             * @example urn:problem-type:custodia:already-exists
             */
            type: "urn:problem-type:custodia:malformed-request" | "urn:problem-type:custodia:invalid-parameter" | "urn:problem-type:custodia:too-many-matches" | "urn:problem-type:custodia:unauthorized" | "urn:problem-type:custodia:invalid-credentials" | "urn:problem-type:custodia:invalid-signature" | "urn:problem-type:custodia:forbidden" | "urn:problem-type:custodia:organization-suspended" | "urn:problem-type:custodia:not-found" | "urn:problem-type:custodia:route-not-found" | "urn:problem-type:custodia:method-not-allowed" | "urn:problem-type:custodia:contended" | "urn:problem-type:custodia:conflict" | "urn:problem-type:custodia:already-exists" | "urn:problem-type:custodia:still-in-use" | "urn:problem-type:custodia:event-already-processed" | "urn:problem-type:custodia:event-id-reused" | "urn:problem-type:custodia:list-being-built" | "urn:problem-type:custodia:gone" | "urn:problem-type:custodia:cursor-expired" | "urn:problem-type:custodia:precondition-failed" | "urn:problem-type:custodia:content-too-large" | "urn:problem-type:custodia:unsupported-media-type" | "urn:problem-type:custodia:invalid-body" | "urn:problem-type:custodia:reference-not-found" | "urn:problem-type:custodia:idempotency-key-reused" | "urn:problem-type:custodia:too-many-requests" | "urn:problem-type:custodia:internal-error" | "urn:problem-type:custodia:not-attempted" | "urn:problem-type:custodia:unavailable" | (string & {});
            /**
             * @description The kind of problem in words.
             * @example A record with this value already exists
             */
            title: string;
            /**
             * Format: int32
             * @description The HTTP status, where it is known to the one who responds.
             * @example 409
             */
            status?: number;
            /**
             * @description What is wrong with this request.
             * @example Another record has this slug.
             */
            detail?: string;
            /**
             * @description Names this request in the logs of the service.
             * @example 5f2c6c1e-8d4b-4f0e-9a53-6d1f0b7c2a90
             */
            request_id: string;
            /** @description Every finding, each with its place. */
            errors?: components["schemas"]["FieldError"][];
        };
        /** @description One thing that is wrong with a request. */
        FieldError: {
            /**
             * @description The part of the request that the pointer points into.
             * @example body
             */
            in: "body" | "query" | "path" | "header" | (string & {});
            /**
             * @description JSON Pointer as a URI fragment (RFC 6901 §6).
             * @example #/slug
             */
            pointer: string;
            /**
             * @description Why that part is refused, in words.
             * @example Another record has this slug.
             */
            detail: string;
        };
        /** @description A request for a token (RFC 6749 §4). Other parameters are ignored. */
        TokenRequest: {
            /**
             * @description How the client gets the token: `client_credentials`, as an integration (RFC 6749 §4.4), or `urn:ietf:params:oauth:grant-type:token-exchange`, for a user (RFC 8693).
             * @example client_credentials
             */
            grant_type: string;
            /**
             * @description App code of the integration, where no header has it.
             * @example acme-billing
             */
            client_id?: string;
            /**
             * Format: password
             * @description Secret of the integration, where no header has it.
             * @example cst_2c7vXyN0q5b8Jr4kT1mWfZ6hLsPdEoGuAiRxBnYtCvQ
             */
            client_secret?: string;
            /**
             * @description To get a token that may do less: permissions of the integration, with a space between two (RFC 6749 §3.3).
             * @example clients:read
             */
            scope?: string;
            /**
             * @description For an exchange: an ID token, or an access token that is a JWT, of an identity provider.
             * @example eyJhbGciOiJSUzI1NiIsImtpZCI6Im9uZSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl
             */
            subject_token?: string;
            /**
             * @description What it is: `urn:ietf:params:oauth:token-type:id_token`, or `…:jwt` for an access token.
             * @example urn:ietf:params:oauth:token-type:id_token
             */
            subject_token_type?: string;
            /**
             * @description For an exchange: the organization of the user, by its id or its slug.
             * @example acme-lda
             */
            organization?: string;
            /**
             * @description Not known here.
             * @example
             */
            actor_token?: string;
        };
        /** @description A token as OAuth returns it (RFC 6749 §5.1). */
        AccessTokenResponse: {
            /**
             * @description A JWT to send as `Authorization: Bearer <token>`.
             * @example eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6IlRfb3ZtIn0.eyJ0eXBlIjoiYXBpX2tleSJ9.c2lnbmF0dXJl
             */
            access_token: string;
            /**
             * @description How the token is sent: as a bearer token (RFC 6750).
             * @constant
             */
            token_type: "bearer";
            /**
             * Format: int32
             * @description Seconds from now on in which the token is good.
             * @example 3600
             */
            expires_in: number;
            /**
             * @description The permissions to which the token is narrowed, where the request had a `scope`.
             * @example clients:read
             */
            scope?: string;
            /**
             * @description Of an exchange: that the token is an access token (RFC 8693 §2.2.1).
             * @example urn:ietf:params:oauth:token-type:access_token
             */
            issued_token_type?: string;
        };
        /** @description An error of OAuth 2.0 (RFC 6749 §5.2). Members that you do not know are to be ignored. */
        OAuthError: {
            /**
             * @description What kind of error it is, for programs. Later releases may add others.
             * @example invalid_request
             */
            error: "invalid_request" | "invalid_client" | "unauthorized_client" | "temporarily_unavailable" | "server_error" | "unsupported_grant_type" | "invalid_scope" | (string & {});
            /**
             * @description What is wrong with this request, for people.
             * @example The body may have up to 1 MB.
             */
            error_description: string;
            /**
             * @description Names this request in the logs of the service.
             * @example 5f2c6c1e-8d4b-4f0e-9a53-6d1f0b7c2a90
             */
            request_id: string;
        };
        /** @description A part of a list, each element a client, with the length of the whole. */
        ClientPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["ClientRecord"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description A company that an organization looks after. */
        ClientRecord: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The organization that the record belongs to; the caller’s own unless a platform caller names one.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id: string;
            /**
             * @description What people call the company.
             * @example Acme Lda
             */
            name: string;
            /**
             * @description Short name for web addresses; no two clients of an organization have the same.
             * @example acme
             */
            slug: string | null;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example crm-1042
             */
            external_id: string | null;
            /**
             * @description The zone that the client lives in, as an IANA time zone identifier.
             * @example Europe/Lisbon
             */
            timezone: string;
            /**
             * @description `active` or `inactive`: whether the company is looked after at present. Or another word.
             * @example active
             */
            status: string;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "tier": "gold"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string | null;
            /**
             * Format: idn-email
             * @description Where mail to the company goes.
             * @example ops@acme.example
             */
            email: string | null;
            /**
             * Format: int64
             * @description Telephone number as digits only, country code first.
             * @example 351210000000
             */
            phone: number | null;
            /**
             * @description What the company has subscribed to, in your own words.
             * @example premium
             */
            plan: string | null;
            /**
             * Format: int64
             * @description How many resources the client has now; counted by the service.
             * @example 0
             */
            readonly total_resources: number | null;
            /**
             * Format: int64
             * @description How many services the client has now; counted by the service.
             * @example 0
             */
            readonly services_count: number;
            /**
             * Format: date-time
             * @description Time of the newest ticket of the client, or of the newest message in one. It may lag some seconds behind; null before the first.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_contact: string | null;
            /**
             * @description Whether any service or resource of the client is not `healthy`, or any resource with `usage_alerts_enabled` has a usage above its `alert_threshold`.
             * @example false
             */
            readonly has_risks: boolean;
        };
        /** @description What a new client is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        ClientCreate: {
            /**
             * Format: uuid
             * @description The organization that the record belongs to; the caller’s own unless a platform caller names one.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id?: string;
            /**
             * @description What people call the company.
             * @example Acme Lda
             */
            name: string;
            /**
             * @description Short name for web addresses; no two clients of an organization have the same. Default: null.
             * @example acme
             */
            slug?: string | null;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same. Default: null.
             * @example crm-1042
             */
            external_id?: string | null;
            /**
             * @description The zone that the client lives in, as an IANA time zone identifier. Default: `Europe/Lisbon`.
             * @example Europe/Lisbon
             */
            timezone?: string;
            /**
             * @description `active` or `inactive`: whether the company is looked after at present. Or another word. Default: `active`.
             * @example active
             */
            status?: string;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON. Default: null.
             * @example {
             *       "tier": "gold"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: idn-email
             * @description Where mail to the company goes. Default: null.
             * @example ops@acme.example
             */
            email?: string | null;
            /**
             * Format: int64
             * @description Telephone number as digits only, country code first. Default: null.
             * @example 351210000000
             */
            phone?: number | null;
            /**
             * @description What the company has subscribed to, in your own words. Default: null.
             * @example premium
             */
            plan?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: int64
             * @description How many resources the client has now; counted by the service.
             * @example 0
             */
            readonly total_resources?: number | null;
            /**
             * Format: int64
             * @description How many services the client has now; counted by the service.
             * @example 0
             */
            readonly services_count?: number;
            /**
             * Format: date-time
             * @description Time of the newest ticket of the client, or of the newest message in one. It may lag some seconds behind; null before the first.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_contact?: string | null;
            /**
             * @description Whether any service or resource of the client is not `healthy`, or any resource with `usage_alerts_enabled` has a usage above its `alert_threshold`.
             * @example false
             */
            readonly has_risks?: boolean;
        };
        /** @description What a new client is made from, or an existing one gets: that keeps what is left out. Read-only fields are left out, or as they were read. */
        ClientUpsert: {
            /**
             * Format: uuid
             * @description The organization that the record belongs to; the caller’s own unless a platform caller names one.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id?: string;
            /**
             * @description What people call the company.
             * @example Acme Lda
             */
            name: string;
            /**
             * @description Short name for web addresses; no two clients of an organization have the same.
             * @example acme
             */
            slug?: string | null;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example crm-1042
             */
            external_id?: string | null;
            /**
             * @description The zone that the client lives in, as an IANA time zone identifier.
             * @example Europe/Lisbon
             */
            timezone?: string;
            /**
             * @description `active` or `inactive`: whether the company is looked after at present. Or another word.
             * @example active
             */
            status?: string;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "tier": "gold"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: idn-email
             * @description Where mail to the company goes.
             * @example ops@acme.example
             */
            email?: string | null;
            /**
             * Format: int64
             * @description Telephone number as digits only, country code first.
             * @example 351210000000
             */
            phone?: number | null;
            /**
             * @description What the company has subscribed to, in your own words.
             * @example premium
             */
            plan?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: int64
             * @description How many resources the client has now; counted by the service.
             * @example 0
             */
            readonly total_resources?: number | null;
            /**
             * Format: int64
             * @description How many services the client has now; counted by the service.
             * @example 0
             */
            readonly services_count?: number;
            /**
             * Format: date-time
             * @description Time of the newest ticket of the client, or of the newest message in one. It may lag some seconds behind; null before the first.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_contact?: string | null;
            /**
             * @description Whether any service or resource of the client is not `healthy`, or any resource with `usage_alerts_enabled` has a usage above its `alert_threshold`.
             * @example false
             */
            readonly has_risks?: boolean;
        };
        /** @description What to change of a client: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        ClientPatch: {
            /**
             * @description What people call the company.
             * @example Acme Lda
             */
            name?: string;
            /**
             * @description Short name for web addresses; no two clients of an organization have the same.
             * @example acme
             */
            slug?: string | null;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example crm-1042
             */
            external_id?: string | null;
            /**
             * @description The zone that the client lives in, as an IANA time zone identifier.
             * @example Europe/Lisbon
             */
            timezone?: string;
            /**
             * @description `active` or `inactive`: whether the company is looked after at present. Or another word.
             * @example inactive
             */
            status?: string;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "tier": "gold"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: idn-email
             * @description Where mail to the company goes.
             * @example ops@acme.example
             */
            email?: string | null;
            /**
             * Format: int64
             * @description Telephone number as digits only, country code first.
             * @example 351210000000
             */
            phone?: number | null;
            /**
             * @description What the company has subscribed to, in your own words.
             * @example premium
             */
            plan?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description The organization that the record belongs to; the caller’s own unless a platform caller names one.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            readonly org_id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: int64
             * @description How many resources the client has now; counted by the service.
             * @example 0
             */
            readonly total_resources?: number | null;
            /**
             * Format: int64
             * @description How many services the client has now; counted by the service.
             * @example 0
             */
            readonly services_count?: number;
            /**
             * Format: date-time
             * @description Time of the newest ticket of the client, or of the newest message in one. It may lag some seconds behind; null before the first.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_contact?: string | null;
            /**
             * @description Whether any service or resource of the client is not `healthy`, or any resource with `usage_alerts_enabled` has a usage above its `alert_threshold`.
             * @example false
             */
            readonly has_risks?: boolean;
        };
        /** @description The beginning of a list, or what follows a cursor; each element a record change. */
        RecordChangeList: {
            /** @description The changes, the newest first. */
            data: components["schemas"]["RecordChange"][];
        };
        /** @description A change of a record. */
        RecordChange: {
            /**
             * Format: uuid
             * @description Id of the event that tells of it (`GET /api/v1/events`).
             * @example 7df59570-303b-4c3e-b7a9-1d5f8e2c6b40
             */
            id: string;
            /**
             * @description What happened: the kind of record, and `created`, `updated` or `moved`.
             * @example client.updated
             */
            type: string;
            /**
             * Format: date-time
             * @description When, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            occurred_at: string;
            /**
             * Format: int64
             * @description That of the record after the change.
             * @example 2
             */
            version: number;
            /**
             * Format: uuid
             * @description Id of the integration or user that did it; null for others, such as the operator.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            actor_id: string | null;
            /**
             * @description `X-Request-Id` of the request that did it; null where there was no request.
             * @example b4c8f0e2-6a1d-4f39-8e57-2d90c3a7b615
             */
            request_id: string | null;
            /**
             * @description By name the fields that were changed; null for a creation.
             * @example {
             *       "name": {
             *         "from": "Before",
             *         "to": "Acme Lda"
             *       }
             *     }
             */
            changes: {
                [key: string]: {
                    /** @description The value before: a text, a number, `true`, `false` or null. */
                    from?: unknown;
                    /** @description The value after. */
                    to?: unknown;
                    /** @description In place of the values, where they are not kept. */
                    changed?: boolean;
                };
            } | null;
        };
        /** @description What a client has, in numbers. */
        ClientSummary: {
            /**
             * Format: uuid
             * @description The client that is summed up.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string;
            /** @description The services of the client. Null without the permission `services:read`. */
            services: {
                /**
                 * Format: int64
                 * @description How many services the client has.
                 * @example 1
                 */
                total: number;
                /**
                 * @description The services by `status`. The most frequent value comes first.
                 * @example [
                 *       {
                 *         "value": "active",
                 *         "count": 1
                 *       }
                 *     ]
                 */
                by_status: {
                    /** @description As the filter by the field takes it; null for none. */
                    value: string | null;
                    /**
                     * Format: int64
                     * @description How many records have it.
                     */
                    count: number;
                }[];
                /**
                 * Format: int64
                 * @description How many are not `healthy`.
                 * @example 0
                 */
                unhealthy: number;
                /**
                 * Format: int64
                 * @description How many are under maintenance, `healthy` or not.
                 * @example 0
                 */
                under_maintenance: number;
                /** @description What the services cost a month. */
                monthly_cost: {
                    /**
                     * Format: double
                     * @description The sum, exact to the cent, in the currency that you account in.
                     * @example 120.5
                     */
                    total: number;
                    /**
                     * @description The same by `billing_cycle`, in order of the words.
                     * @example [
                     *       {
                     *         "billing_cycle": "monthly",
                     *         "total": 120.5
                     *       }
                     *     ]
                     */
                    by_billing_cycle: {
                        /** @description How often they are billed. */
                        billing_cycle: string;
                        /**
                         * Format: double
                         * @description What all of them cost a month.
                         */
                        total: number;
                    }[];
                } | null;
            } | null;
            /** @description The resources of the client. Null without the permission `resources:read`. */
            resources: {
                /**
                 * Format: int64
                 * @description How many resources the client has.
                 * @example 0
                 */
                total: number;
                /**
                 * @description The resources by `status`. The most frequent value comes first.
                 * @example []
                 */
                by_status: {
                    /** @description As the filter by the field takes it; null for none. */
                    value: string | null;
                    /**
                     * Format: int64
                     * @description How many records have it.
                     */
                    count: number;
                }[];
                /**
                 * Format: int64
                 * @description How many are not `healthy`.
                 * @example 0
                 */
                unhealthy: number;
                /**
                 * Format: int64
                 * @description How many are under maintenance, `healthy` or not.
                 * @example 0
                 */
                under_maintenance: number;
                /** @description What the resources cost a month. */
                monthly_cost: {
                    /**
                     * Format: double
                     * @description The sum, exact to the cent, in the currency that you account in.
                     * @example 0
                     */
                    total: number;
                    /**
                     * @description The same by `billing_cycle`, in order of the words.
                     * @example []
                     */
                    by_billing_cycle: {
                        /** @description How often they are billed. */
                        billing_cycle: string;
                        /**
                         * Format: double
                         * @description What all of them cost a month.
                         */
                        total: number;
                    }[];
                } | null;
            } | null;
            /** @description The terminals of the client. Null without the permission `terminals:read`. */
            terminals: {
                /**
                 * Format: int64
                 * @description How many terminals the client has.
                 * @example 1
                 */
                total: number;
                /**
                 * @description The terminals by `status`. The most frequent value comes first.
                 * @example [
                 *       {
                 *         "value": "active",
                 *         "count": 1
                 *       }
                 *     ]
                 */
                by_status: {
                    /** @description As the filter by the field takes it; null for none. */
                    value: string | null;
                    /**
                     * Format: int64
                     * @description How many records have it.
                     */
                    count: number;
                }[];
            } | null;
            /** @description The tickets of the client. Null without the permission `tickets:read`. */
            tickets: {
                /**
                 * Format: int64
                 * @description How many tickets the client has.
                 * @example 2
                 */
                total: number;
                /**
                 * @description The tickets by `status`. The most frequent value comes first.
                 * @example [
                 *       {
                 *         "value": "closed",
                 *         "count": 2
                 *       }
                 *     ]
                 */
                by_status: {
                    /** @description As the filter by the field takes it; null for none. */
                    value: string | null;
                    /**
                     * Format: int64
                     * @description How many records have it.
                     */
                    count: number;
                }[];
                /**
                 * Format: int64
                 * @description How many are past their `due_at` and not closed. Null where too many are not closed to be read.
                 * @example 0
                 */
                overdue: number | null;
            } | null;
            /** @description What services and resources cost a month together. Null where one of them is. */
            monthly_cost: {
                /**
                 * Format: double
                 * @description The sum, exact to the cent, in the currency that you account in.
                 * @example 120.5
                 */
                total: number;
                /**
                 * @description The same by `billing_cycle`, in order of the words.
                 * @example [
                 *       {
                 *         "billing_cycle": "monthly",
                 *         "total": 120.5
                 *       }
                 *     ]
                 */
                by_billing_cycle: {
                    /** @description How often they are billed. */
                    billing_cycle: string;
                    /**
                     * Format: double
                     * @description What all of them cost a month.
                     */
                    total: number;
                }[];
            } | null;
            /**
             * Format: date-time
             * @description As the client has it.
             * @example 2026-11-20T09:30:00.000Z
             */
            last_contact: string | null;
        };
        /** @description The beginning of a list, or what follows a cursor; each element a client action. */
        ClientActionList: {
            /** @description Up to 1000 records. `Link` leads to the next ones, if there are any. */
            data: components["schemas"]["ClientAction"][];
        };
        /** @description What was done to a client, and by which integration. */
        ClientAction: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example babb9a7d-89a0-4b11-a7d0-3f9b8f1e6c52
             */
            readonly id: string;
            /**
             * @description What was done: `created` or `updated`.
             * @example updated
             */
            readonly type: string;
            /**
             * Format: uuid
             * @description The client that it was done to.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly client_id: string;
            /**
             * Format: uuid
             * @description Id of the integration or user that did it.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly performed_by: string;
            /**
             * Format: date-time
             * @description When it was done, by the clock of the service.
             * @example 2026-11-20T09:31:00.000Z
             */
            readonly performed_at: string;
            /**
             * @description A creation has the given `fields`, a change its `changes`, each with the value before (`from`) and after (`to`). Long values are cut.
             * @example {
             *       "changes": {
             *         "status": {
             *           "from": "active",
             *           "to": "inactive"
             *         }
             *       }
             *     }
             */
            readonly details: {
                [key: string]: unknown;
            };
            /**
             * @description How it ended: `success`.
             * @example success
             */
            readonly result: string;
        };
        /** @description A part of a list, each element a service, with the length of the whole. */
        ServicePage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["Service"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description Something that is run for a client, such as a shop or a mail server. */
        Service: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The company that it is run for, by its id.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example contract-77
             */
            external_id: string | null;
            /**
             * @description What people call the service.
             * @example Web shop
             */
            name: string;
            /**
             * @description What kind of service it is, such as `web` or `saas`. Or another word.
             * @example web
             */
            type: string;
            /**
             * @description What the service does, for people.
             * @example The shop and its checkout.
             */
            description: string | null;
            /**
             * Format: uri
             * @description Where users reach the service, with http or https.
             * @example https://shop.acme.example
             */
            url: string | null;
            /**
             * Format: uri
             * @description Where its administrators sign in, with http or https.
             * @example https://shop.acme.example/admin
             */
            admin_url: string | null;
            /**
             * @description `active`, or `maintenance` while it is being worked on. Or another word.
             * @example active
             */
            status: string;
            /**
             * @description Which offer the client has chosen, in your own words.
             * @example basic
             */
            plan: string | null;
            /**
             * @description What it is run for: `production`, `staging` … Or another word.
             * @example production
             */
            environment: string;
            /**
             * @description Kept encrypted, at most 64 KB as JSON. Reading and setting it needs the permission `services:credentials`: without it the field shows null, and null sent back changes nothing.
             * @example {
             *       "user": "deploy",
             *       "password": "correct horse battery staple"
             *     }
             */
            credentials: {
                [key: string]: unknown;
            } | null;
            /**
             * @description How the service is deployed, for the systems that do it. At most 64 KB as JSON.
             * @example {
             *       "region": "eu-west-1",
             *       "replicas": 2
             *     }
             */
            deployment_config: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "owner": "team-web"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Labels to group services by, each of up to 100 characters. `tag` finds it by its first 20 different ones.
             * @example [
             *       "shop",
             *       "public"
             *     ]
             */
            tags: string[] | null;
            /**
             * @description How the service is doing: `healthy`, `degraded` … All but `healthy` is a risk to the client. Or another word.
             * @example healthy
             */
            health_status: string;
            /**
             * Format: date-time
             * @description When it was last checked: as given, or else the time of the last change that names `health_status`.
             * @example 2026-11-20T09:30:00.000Z
             */
            last_health_check: string | null;
            /**
             * Format: double
             * @description Share of time in which the service responded, in percent, as you measure it.
             * @example 99.95
             */
            uptime_percentage: number | null;
            /**
             * Format: double
             * @description What the service costs a month, in the currency that you account in.
             * @example 120.5
             */
            monthly_cost: number;
            /**
             * @description How often it is billed: `monthly`, `yearly` … Or another word.
             * @example monthly
             */
            billing_cycle: string;
            /**
             * @description The day of the next bill: a date such as `2026-12-01`, or a time in ISO 8601, which comes back in UTC.
             * @example 2026-12-01
             */
            next_billing_date: string | null;
            /**
             * @description Which release of the software is running.
             * @example 4.2.0
             */
            version: string | null;
            /**
             * Format: date-time
             * @description When that release went live.
             * @example 2026-11-01T08:00:00.000Z
             */
            deployed_at: string | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-01T08:00:00.000Z
             */
            readonly created_at: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at: string | null;
            /**
             * @description Extends the specification: whether its `status` is `maintenance`, or a maintenance window covers it when it is read.
             * @example false
             */
            readonly under_maintenance: boolean;
        };
        /** @description What a new service is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        ServiceCreate: {
            /**
             * @description The company that it is run for, by its id.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string | components["schemas"]["NamedClient"];
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same. Default: null.
             * @example contract-77
             */
            external_id?: string | null;
            /**
             * @description What people call the service.
             * @example Web shop
             */
            name: string;
            /**
             * @description What kind of service it is, such as `web` or `saas`. Or another word.
             * @example web
             */
            type: string;
            /**
             * @description What the service does, for people. Default: null.
             * @example The shop and its checkout.
             */
            description?: string | null;
            /**
             * Format: uri
             * @description Where users reach the service, with http or https. Default: null.
             * @example https://shop.acme.example
             */
            url?: string | null;
            /**
             * Format: uri
             * @description Where its administrators sign in, with http or https. Default: null.
             * @example https://shop.acme.example/admin
             */
            admin_url?: string | null;
            /**
             * @description `active`, or `maintenance` while it is being worked on. Or another word. Default: `active`.
             * @example active
             */
            status?: string;
            /**
             * @description Which offer the client has chosen, in your own words. Default: `basic`.
             * @example basic
             */
            plan?: string | null;
            /**
             * @description What it is run for: `production`, `staging` … Or another word. Default: `production`.
             * @example production
             */
            environment?: string;
            /**
             * @description Kept encrypted, at most 64 KB as JSON. Reading and setting it needs the permission `services:credentials`: without it the field shows null, and null sent back changes nothing. Default: null.
             * @example {
             *       "user": "deploy",
             *       "password": "correct horse battery staple"
             *     }
             */
            credentials?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description How the service is deployed, for the systems that do it. At most 64 KB as JSON. Default: null.
             * @example {
             *       "region": "eu-west-1",
             *       "replicas": 2
             *     }
             */
            deployment_config?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON. Default: null.
             * @example {
             *       "owner": "team-web"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Labels to group services by, each of up to 100 characters. `tag` finds it by its first 20 different ones. Default: null.
             * @example [
             *       "shop",
             *       "public"
             *     ]
             */
            tags?: string[] | null;
            /**
             * @description How the service is doing: `healthy`, `degraded` … All but `healthy` is a risk to the client. Or another word. Default: `healthy`.
             * @example healthy
             */
            health_status?: string;
            /**
             * Format: date-time
             * @description When it was last checked: as given, or else the time of the last change that names `health_status`. Default: null.
             * @example 2026-11-20T09:30:00.000Z
             */
            last_health_check?: string | null;
            /**
             * Format: double
             * @description Share of time in which the service responded, in percent, as you measure it. Default: null.
             * @example 99.95
             */
            uptime_percentage?: number | null;
            /**
             * Format: double
             * @description What the service costs a month, in the currency that you account in. Default: `0`.
             * @example 120.5
             */
            monthly_cost?: number;
            /**
             * @description How often it is billed: `monthly`, `yearly` … Or another word. Default: `monthly`.
             * @example monthly
             */
            billing_cycle?: string;
            /**
             * @description The day of the next bill: a date such as `2026-12-01`, or a time in ISO 8601, which comes back in UTC. Default: null.
             * @example 2026-12-01
             */
            next_billing_date?: string | null;
            /**
             * @description Which release of the software is running. Default: null.
             * @example 4.2.0
             */
            version?: string | null;
            /**
             * Format: date-time
             * @description When that release went live. Default: null.
             * @example 2026-11-01T08:00:00.000Z
             */
            deployed_at?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-01T08:00:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at?: string | null;
            /**
             * @description Extends the specification: whether its `status` is `maintenance`, or a maintenance window covers it when it is read.
             * @example false
             */
            readonly under_maintenance?: boolean;
        };
        /** @description In place of its id: the client with this name, which is one of both. */
        NamedClient: {
            /**
             * @description What another system calls it by.
             * @example crm-17
             */
            external_id?: string;
            /**
             * @description Its slug.
             * @example bistro
             */
            slug?: string;
        };
        /** @description What a new service is made from, or an existing one gets: that keeps what is left out. Read-only fields are left out, or as they were read. */
        ServiceUpsert: {
            /**
             * @description The company that it is run for, by its id.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string | components["schemas"]["NamedClient"];
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example contract-77
             */
            external_id?: string | null;
            /**
             * @description What people call the service.
             * @example Web shop
             */
            name: string;
            /**
             * @description What kind of service it is, such as `web` or `saas`. Or another word.
             * @example web
             */
            type: string;
            /**
             * @description What the service does, for people.
             * @example The shop and its checkout.
             */
            description?: string | null;
            /**
             * Format: uri
             * @description Where users reach the service, with http or https.
             * @example https://shop.acme.example
             */
            url?: string | null;
            /**
             * Format: uri
             * @description Where its administrators sign in, with http or https.
             * @example https://shop.acme.example/admin
             */
            admin_url?: string | null;
            /**
             * @description `active`, or `maintenance` while it is being worked on. Or another word.
             * @example active
             */
            status?: string;
            /**
             * @description Which offer the client has chosen, in your own words.
             * @example basic
             */
            plan?: string | null;
            /**
             * @description What it is run for: `production`, `staging` … Or another word.
             * @example production
             */
            environment?: string;
            /**
             * @description Kept encrypted, at most 64 KB as JSON. Reading and setting it needs the permission `services:credentials`: without it the field shows null, and null sent back changes nothing.
             * @example {
             *       "user": "deploy",
             *       "password": "correct horse battery staple"
             *     }
             */
            credentials?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description How the service is deployed, for the systems that do it. At most 64 KB as JSON.
             * @example {
             *       "region": "eu-west-1",
             *       "replicas": 2
             *     }
             */
            deployment_config?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "owner": "team-web"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Labels to group services by, each of up to 100 characters. `tag` finds it by its first 20 different ones.
             * @example [
             *       "shop",
             *       "public"
             *     ]
             */
            tags?: string[] | null;
            /**
             * @description How the service is doing: `healthy`, `degraded` … All but `healthy` is a risk to the client. Or another word.
             * @example healthy
             */
            health_status?: string;
            /**
             * Format: date-time
             * @description When it was last checked: as given, or else the time of the last change that names `health_status`.
             * @example 2026-11-20T09:30:00.000Z
             */
            last_health_check?: string | null;
            /**
             * Format: double
             * @description Share of time in which the service responded, in percent, as you measure it.
             * @example 99.95
             */
            uptime_percentage?: number | null;
            /**
             * Format: double
             * @description What the service costs a month, in the currency that you account in.
             * @example 120.5
             */
            monthly_cost?: number;
            /**
             * @description How often it is billed: `monthly`, `yearly` … Or another word.
             * @example monthly
             */
            billing_cycle?: string;
            /**
             * @description The day of the next bill: a date such as `2026-12-01`, or a time in ISO 8601, which comes back in UTC.
             * @example 2026-12-01
             */
            next_billing_date?: string | null;
            /**
             * @description Which release of the software is running.
             * @example 4.2.0
             */
            version?: string | null;
            /**
             * Format: date-time
             * @description When that release went live.
             * @example 2026-11-01T08:00:00.000Z
             */
            deployed_at?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-01T08:00:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at?: string | null;
            /**
             * @description Extends the specification: whether its `status` is `maintenance`, or a maintenance window covers it when it is read.
             * @example false
             */
            readonly under_maintenance?: boolean;
        };
        /** @description How many services there are, by the values of a field. */
        ServiceCounts: {
            /**
             * @description The values of the field, with the number of records that match the filters and have them. The most frequent value comes first.
             * @example [
             *       {
             *         "value": "active",
             *         "count": 1
             *       }
             *     ]
             */
            data: {
                /** @description As the filter by the field takes it; null for none. */
                value: string | null;
                /**
                 * Format: int64
                 * @description How many records have it.
                 */
                count: number;
            }[];
            /**
             * Format: int64
             * @description How many records match the filters: the sum of all counts.
             * @example 1
             */
            total: number;
        };
        /** @description What to change of a service: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        ServicePatch: {
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example contract-77
             */
            external_id?: string | null;
            /**
             * @description What people call the service.
             * @example Web shop
             */
            name?: string;
            /**
             * @description What kind of service it is, such as `web` or `saas`. Or another word.
             * @example web
             */
            type?: string;
            /**
             * @description What the service does, for people.
             * @example The shop and its checkout.
             */
            description?: string | null;
            /**
             * Format: uri
             * @description Where users reach the service, with http or https.
             * @example https://shop.acme.example
             */
            url?: string | null;
            /**
             * Format: uri
             * @description Where its administrators sign in, with http or https.
             * @example https://shop.acme.example/admin
             */
            admin_url?: string | null;
            /**
             * @description `active`, or `maintenance` while it is being worked on. Or another word.
             * @example maintenance
             */
            status?: string;
            /**
             * @description Which offer the client has chosen, in your own words.
             * @example basic
             */
            plan?: string | null;
            /**
             * @description What it is run for: `production`, `staging` … Or another word.
             * @example production
             */
            environment?: string;
            /**
             * @description Kept encrypted, at most 64 KB as JSON. Reading and setting it needs the permission `services:credentials`: without it the field shows null, and null sent back changes nothing.
             * @example {
             *       "user": "deploy",
             *       "password": "correct horse battery staple"
             *     }
             */
            credentials?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description How the service is deployed, for the systems that do it. At most 64 KB as JSON.
             * @example {
             *       "region": "eu-west-1",
             *       "replicas": 2
             *     }
             */
            deployment_config?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "owner": "team-web"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Labels to group services by, each of up to 100 characters. `tag` finds it by its first 20 different ones.
             * @example [
             *       "shop",
             *       "public"
             *     ]
             */
            tags?: string[] | null;
            /**
             * @description How the service is doing: `healthy`, `degraded` … All but `healthy` is a risk to the client. Or another word.
             * @example degraded
             */
            health_status?: string;
            /**
             * Format: date-time
             * @description When it was last checked: as given, or else the time of the last change that names `health_status`.
             * @example 2026-11-20T09:30:00.000Z
             */
            last_health_check?: string | null;
            /**
             * Format: double
             * @description Share of time in which the service responded, in percent, as you measure it.
             * @example 99.95
             */
            uptime_percentage?: number | null;
            /**
             * Format: double
             * @description What the service costs a month, in the currency that you account in.
             * @example 120.5
             */
            monthly_cost?: number;
            /**
             * @description How often it is billed: `monthly`, `yearly` … Or another word.
             * @example monthly
             */
            billing_cycle?: string;
            /**
             * @description The day of the next bill: a date such as `2026-12-01`, or a time in ISO 8601, which comes back in UTC.
             * @example 2026-12-01
             */
            next_billing_date?: string | null;
            /**
             * @description Which release of the software is running.
             * @example 4.2.0
             */
            version?: string | null;
            /**
             * Format: date-time
             * @description When that release went live.
             * @example 2026-11-01T08:00:00.000Z
             */
            deployed_at?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description The company that it is run for, by its id.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly client_id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-01T08:00:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at?: string | null;
            /**
             * @description Extends the specification: whether its `status` is `maintenance`, or a maintenance window covers it when it is read.
             * @example false
             */
            readonly under_maintenance?: boolean;
        };
        /** @description A part of a list, each element a resource, with the length of the whole. */
        ResourcePage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["Resource"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description What services run on, such as a machine or a volume, and how it is doing. */
        Resource: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example cff00498-8c93-4e21-b7f4-2a5c9d3e7f10
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The company that it is looked after for, by its id.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string;
            /**
             * Format: uuid
             * @description The service that runs on it; null for none.
             * @example 0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80
             */
            service_id: string | null;
            /**
             * @description What people call the resource.
             * @example Web server 1
             */
            name: string;
            /**
             * @description What kind of resource it is, such as `server`, `vm` or `volume`. Or another word.
             * @example vm
             */
            type: string;
            /**
             * @description What the resource is for, for people.
             * @example Runs the shop.
             */
            description: string | null;
            /**
             * @description Who runs it: `local` for your own machines, `aws` … Or another word.
             * @example local
             */
            provider: string;
            /**
             * @description How its provider names it.
             * @example i-0a1b2c3d
             */
            external_id: string | null;
            /**
             * @description Where it stands: a room, a data center, a region.
             * @example Lisbon
             */
            location: string | null;
            /**
             * @description Its IPv4 or IPv6 address, without prefix length or zone. `q` finds it in any spelling.
             * @example 192.0.2.10
             */
            ip_address: string | null;
            /**
             * @description `active`, or `maintenance` while it is being worked on. Or another word.
             * @example active
             */
            status: string;
            /**
             * @description What it is made of: cores, memory, disks. At most 64 KB as JSON.
             * @example {
             *       "cores": 4,
             *       "memory_gb": 16
             *     }
             */
            specifications: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Kept encrypted, at most 64 KB as JSON. Reading and setting it needs the permission `resources:credentials`: without it the field shows null, and null sent back changes nothing.
             * @example {
             *       "user": "root",
             *       "key": "ssh-ed25519 AAAA"
             *     }
             */
            credentials: {
                [key: string]: unknown;
            } | null;
            /**
             * @description What it may use at most: connections, disk space. At most 64 KB as JSON.
             * @example {
             *       "connections": 500
             *     }
             */
            limits: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "rack": "B7"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Labels to group resources by, each of up to 100 characters. `tag` finds it by its first 20 different ones.
             * @example [
             *       "web"
             *     ]
             */
            tags: string[] | null;
            /**
             * @description How the resource is doing, as reported: `healthy`, `degraded` … All but `healthy` is a risk to the client. Usage above `alert_threshold` is one too, and does not change it. Or another word.
             * @example healthy
             */
            health_status: string;
            /**
             * Format: date-time
             * @description When it was last checked: as given, or else the time of the last report of health or usage.
             * @example 2026-11-20T09:30:00.000Z
             */
            last_health_check: string | null;
            /**
             * Format: double
             * @description Processor time in use, in percent, as last reported.
             * @example 42.5
             */
            cpu_usage: number | null;
            /**
             * Format: double
             * @description Memory in use, in percent, as last reported.
             * @example 61
             */
            memory_usage: number | null;
            /**
             * Format: double
             * @description Disk space in use, in percent, as last reported.
             * @example 30
             */
            storage_usage: number | null;
            /**
             * @description Whether usage above `alert_threshold` makes the resource a risk to its client.
             * @example true
             */
            usage_alerts_enabled: boolean;
            /**
             * Format: double
             * @description Usage in percent above which the resource is a risk to its client. `over_threshold` lists such resources.
             * @example 80
             */
            alert_threshold: number;
            /**
             * Format: double
             * @description What the resource costs a month, in the currency that you account in.
             * @example 45
             */
            monthly_cost: number;
            /**
             * @description How often it is billed: `monthly`, `yearly` … Or another word.
             * @example monthly
             */
            billing_cycle: string;
            /**
             * Format: date-time
             * @description When the resource was set up.
             * @example 2026-11-01T08:00:00.000Z
             */
            provisioned_at: string | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-01T08:00:00.000Z
             */
            readonly created_at: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at: string | null;
            /**
             * @description Extends the specification: whether its `status` is `maintenance`, or a maintenance window covers it when it is read.
             * @example false
             */
            readonly under_maintenance: boolean;
        };
        /** @description What a new resource is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        ResourceCreate: {
            /**
             * @description The company that it is looked after for, by its id.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string | components["schemas"]["NamedClient"];
            /**
             * @description The service that runs on it; null for none. Default: null.
             * @example 0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80
             */
            service_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * @description What people call the resource.
             * @example Web server 1
             */
            name: string;
            /**
             * @description What kind of resource it is, such as `server`, `vm` or `volume`. Or another word.
             * @example vm
             */
            type: string;
            /**
             * @description What the resource is for, for people. Default: null.
             * @example Runs the shop.
             */
            description?: string | null;
            /**
             * @description Who runs it: `local` for your own machines, `aws` … Or another word. Default: `local`.
             * @example local
             */
            provider?: string;
            /**
             * @description How its provider names it. Default: null.
             * @example i-0a1b2c3d
             */
            external_id?: string | null;
            /**
             * @description Where it stands: a room, a data center, a region. Default: null.
             * @example Lisbon
             */
            location?: string | null;
            /**
             * @description Its IPv4 or IPv6 address, without prefix length or zone. `q` finds it in any spelling. Default: null.
             * @example 192.0.2.10
             */
            ip_address?: string | null;
            /**
             * @description `active`, or `maintenance` while it is being worked on. Or another word. Default: `active`.
             * @example active
             */
            status?: string;
            /**
             * @description What it is made of: cores, memory, disks. At most 64 KB as JSON. Default: null.
             * @example {
             *       "cores": 4,
             *       "memory_gb": 16
             *     }
             */
            specifications?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Kept encrypted, at most 64 KB as JSON. Reading and setting it needs the permission `resources:credentials`: without it the field shows null, and null sent back changes nothing. Default: null.
             * @example {
             *       "user": "root",
             *       "key": "ssh-ed25519 AAAA"
             *     }
             */
            credentials?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description What it may use at most: connections, disk space. At most 64 KB as JSON. Default: null.
             * @example {
             *       "connections": 500
             *     }
             */
            limits?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON. Default: null.
             * @example {
             *       "rack": "B7"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Labels to group resources by, each of up to 100 characters. `tag` finds it by its first 20 different ones. Default: null.
             * @example [
             *       "web"
             *     ]
             */
            tags?: string[] | null;
            /**
             * @description How the resource is doing, as reported: `healthy`, `degraded` … All but `healthy` is a risk to the client. Usage above `alert_threshold` is one too, and does not change it. Or another word. Default: `healthy`.
             * @example healthy
             */
            health_status?: string;
            /**
             * Format: date-time
             * @description When it was last checked: as given, or else the time of the last report of health or usage. Default: null.
             * @example 2026-11-20T09:30:00.000Z
             */
            last_health_check?: string | null;
            /**
             * Format: double
             * @description Processor time in use, in percent, as last reported. Default: null.
             * @example 42.5
             */
            cpu_usage?: number | null;
            /**
             * Format: double
             * @description Memory in use, in percent, as last reported. Default: null.
             * @example 61
             */
            memory_usage?: number | null;
            /**
             * Format: double
             * @description Disk space in use, in percent, as last reported. Default: null.
             * @example 30
             */
            storage_usage?: number | null;
            /**
             * @description Whether usage above `alert_threshold` makes the resource a risk to its client. Default: `true`.
             * @example true
             */
            usage_alerts_enabled?: boolean;
            /**
             * Format: double
             * @description Usage in percent above which the resource is a risk to its client. `over_threshold` lists such resources. Default: `80`.
             * @example 80
             */
            alert_threshold?: number;
            /**
             * Format: double
             * @description What the resource costs a month, in the currency that you account in. Default: `0`.
             * @example 45
             */
            monthly_cost?: number;
            /**
             * @description How often it is billed: `monthly`, `yearly` … Or another word. Default: `monthly`.
             * @example monthly
             */
            billing_cycle?: string;
            /**
             * Format: date-time
             * @description When the resource was set up. Default: null.
             * @example 2026-11-01T08:00:00.000Z
             */
            provisioned_at?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example cff00498-8c93-4e21-b7f4-2a5c9d3e7f10
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-01T08:00:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at?: string | null;
            /**
             * @description Extends the specification: whether its `status` is `maintenance`, or a maintenance window covers it when it is read.
             * @example false
             */
            readonly under_maintenance?: boolean;
        };
        /** @description In place of its id: the record that another system calls so. */
        NamedRecord: {
            /**
             * @description What another system calls it by.
             * @example crm-17
             */
            external_id: string;
        };
        /** @description What a new resource is made from, or an existing one gets: that keeps what is left out. Read-only fields are left out, or as they were read. */
        ResourceUpsert: {
            /**
             * @description The company that it is looked after for, by its id.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string | components["schemas"]["NamedClient"];
            /**
             * @description The service that runs on it; null for none.
             * @example 0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80
             */
            service_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * @description What people call the resource.
             * @example Web server 1
             */
            name: string;
            /**
             * @description What kind of resource it is, such as `server`, `vm` or `volume`. Or another word.
             * @example vm
             */
            type: string;
            /**
             * @description What the resource is for, for people.
             * @example Runs the shop.
             */
            description?: string | null;
            /**
             * @description Who runs it: `local` for your own machines, `aws` … Or another word.
             * @example local
             */
            provider?: string;
            /**
             * @description How its provider names it.
             * @example i-0a1b2c3d
             */
            external_id?: string | null;
            /**
             * @description Where it stands: a room, a data center, a region.
             * @example Lisbon
             */
            location?: string | null;
            /**
             * @description Its IPv4 or IPv6 address, without prefix length or zone. `q` finds it in any spelling.
             * @example 192.0.2.10
             */
            ip_address?: string | null;
            /**
             * @description `active`, or `maintenance` while it is being worked on. Or another word.
             * @example active
             */
            status?: string;
            /**
             * @description What it is made of: cores, memory, disks. At most 64 KB as JSON.
             * @example {
             *       "cores": 4,
             *       "memory_gb": 16
             *     }
             */
            specifications?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Kept encrypted, at most 64 KB as JSON. Reading and setting it needs the permission `resources:credentials`: without it the field shows null, and null sent back changes nothing.
             * @example {
             *       "user": "root",
             *       "key": "ssh-ed25519 AAAA"
             *     }
             */
            credentials?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description What it may use at most: connections, disk space. At most 64 KB as JSON.
             * @example {
             *       "connections": 500
             *     }
             */
            limits?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "rack": "B7"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Labels to group resources by, each of up to 100 characters. `tag` finds it by its first 20 different ones.
             * @example [
             *       "web"
             *     ]
             */
            tags?: string[] | null;
            /**
             * @description How the resource is doing, as reported: `healthy`, `degraded` … All but `healthy` is a risk to the client. Usage above `alert_threshold` is one too, and does not change it. Or another word.
             * @example healthy
             */
            health_status?: string;
            /**
             * Format: date-time
             * @description When it was last checked: as given, or else the time of the last report of health or usage.
             * @example 2026-11-20T09:30:00.000Z
             */
            last_health_check?: string | null;
            /**
             * Format: double
             * @description Processor time in use, in percent, as last reported.
             * @example 42.5
             */
            cpu_usage?: number | null;
            /**
             * Format: double
             * @description Memory in use, in percent, as last reported.
             * @example 61
             */
            memory_usage?: number | null;
            /**
             * Format: double
             * @description Disk space in use, in percent, as last reported.
             * @example 30
             */
            storage_usage?: number | null;
            /**
             * @description Whether usage above `alert_threshold` makes the resource a risk to its client.
             * @example true
             */
            usage_alerts_enabled?: boolean;
            /**
             * Format: double
             * @description Usage in percent above which the resource is a risk to its client. `over_threshold` lists such resources.
             * @example 80
             */
            alert_threshold?: number;
            /**
             * Format: double
             * @description What the resource costs a month, in the currency that you account in.
             * @example 45
             */
            monthly_cost?: number;
            /**
             * @description How often it is billed: `monthly`, `yearly` … Or another word.
             * @example monthly
             */
            billing_cycle?: string;
            /**
             * Format: date-time
             * @description When the resource was set up.
             * @example 2026-11-01T08:00:00.000Z
             */
            provisioned_at?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example cff00498-8c93-4e21-b7f4-2a5c9d3e7f10
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-01T08:00:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at?: string | null;
            /**
             * @description Extends the specification: whether its `status` is `maintenance`, or a maintenance window covers it when it is read.
             * @example false
             */
            readonly under_maintenance?: boolean;
        };
        /** @description What to change of a resource: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        ResourcePatch: {
            /**
             * @description The service that runs on it; null for none.
             * @example 0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80
             */
            service_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * @description What people call the resource.
             * @example Web server 1
             */
            name?: string;
            /**
             * @description What kind of resource it is, such as `server`, `vm` or `volume`. Or another word.
             * @example vm
             */
            type?: string;
            /**
             * @description What the resource is for, for people.
             * @example Runs the shop.
             */
            description?: string | null;
            /**
             * @description Who runs it: `local` for your own machines, `aws` … Or another word.
             * @example local
             */
            provider?: string;
            /**
             * @description How its provider names it.
             * @example i-0a1b2c3d
             */
            external_id?: string | null;
            /**
             * @description Where it stands: a room, a data center, a region.
             * @example Lisbon
             */
            location?: string | null;
            /**
             * @description Its IPv4 or IPv6 address, without prefix length or zone. `q` finds it in any spelling.
             * @example 192.0.2.10
             */
            ip_address?: string | null;
            /**
             * @description `active`, or `maintenance` while it is being worked on. Or another word.
             * @example maintenance
             */
            status?: string;
            /**
             * @description What it is made of: cores, memory, disks. At most 64 KB as JSON.
             * @example {
             *       "cores": 4,
             *       "memory_gb": 16
             *     }
             */
            specifications?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Kept encrypted, at most 64 KB as JSON. Reading and setting it needs the permission `resources:credentials`: without it the field shows null, and null sent back changes nothing.
             * @example {
             *       "user": "root",
             *       "key": "ssh-ed25519 AAAA"
             *     }
             */
            credentials?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description What it may use at most: connections, disk space. At most 64 KB as JSON.
             * @example {
             *       "connections": 500
             *     }
             */
            limits?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "rack": "B7"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Labels to group resources by, each of up to 100 characters. `tag` finds it by its first 20 different ones.
             * @example [
             *       "web"
             *     ]
             */
            tags?: string[] | null;
            /**
             * @description How the resource is doing, as reported: `healthy`, `degraded` … All but `healthy` is a risk to the client. Usage above `alert_threshold` is one too, and does not change it. Or another word.
             * @example degraded
             */
            health_status?: string;
            /**
             * Format: date-time
             * @description When it was last checked: as given, or else the time of the last report of health or usage.
             * @example 2026-11-20T09:30:00.000Z
             */
            last_health_check?: string | null;
            /**
             * Format: double
             * @description Processor time in use, in percent, as last reported.
             * @example 42.5
             */
            cpu_usage?: number | null;
            /**
             * Format: double
             * @description Memory in use, in percent, as last reported.
             * @example 61
             */
            memory_usage?: number | null;
            /**
             * Format: double
             * @description Disk space in use, in percent, as last reported.
             * @example 30
             */
            storage_usage?: number | null;
            /**
             * @description Whether usage above `alert_threshold` makes the resource a risk to its client.
             * @example true
             */
            usage_alerts_enabled?: boolean;
            /**
             * Format: double
             * @description Usage in percent above which the resource is a risk to its client. `over_threshold` lists such resources.
             * @example 80
             */
            alert_threshold?: number;
            /**
             * Format: double
             * @description What the resource costs a month, in the currency that you account in.
             * @example 45
             */
            monthly_cost?: number;
            /**
             * @description How often it is billed: `monthly`, `yearly` … Or another word.
             * @example monthly
             */
            billing_cycle?: string;
            /**
             * Format: date-time
             * @description When the resource was set up.
             * @example 2026-11-01T08:00:00.000Z
             */
            provisioned_at?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example cff00498-8c93-4e21-b7f4-2a5c9d3e7f10
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description The company that it is looked after for, by its id.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly client_id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-01T08:00:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at?: string | null;
            /**
             * @description Extends the specification: whether its `status` is `maintenance`, or a maintenance window covers it when it is read.
             * @example false
             */
            readonly under_maintenance?: boolean;
        };
        /** @description To which client a record is moved. */
        Move: {
            /**
             * @description The client that it belongs to from now on.
             * @example 7a2e5c90-4b1d-4f68-9c3a-1e0d8b7f6a52
             */
            client_id: string | components["schemas"]["NamedClient"];
        };
        /** @description A part of a list, each element a resource history entry, with the length of the whole. */
        ResourceHistoryEntryPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["ResourceHistoryEntry"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description A sample of the usage and health of a resource. */
        ResourceHistoryEntry: {
            /**
             * Format: int64
             * @description Number of the sample among those of the resource, counted from 1.
             * @example 1
             */
            readonly id: number;
            /**
             * Format: uuid
             * @description The resource that was measured.
             * @example cff00498-8c93-4e21-b7f4-2a5c9d3e7f10
             */
            readonly resource_id: string;
            /**
             * Format: date-time
             * @description When it was measured; at most five minutes ahead of the service’s clock. Now unless given.
             * @example 2026-11-20T09:30:00.000Z
             */
            timestamp: string;
            /**
             * Format: double
             * @description Processor time in use, in percent.
             * @example 42.5
             */
            cpu_usage: number;
            /**
             * Format: double
             * @description Memory in use, in percent.
             * @example 61
             */
            memory_usage: number;
            /**
             * Format: double
             * @description Disk space in use, in percent.
             * @example 30
             */
            storage_usage: number;
            /**
             * @description How the resource was doing: `healthy`, `degraded` … What the resource has unless given. Or another word.
             * @example healthy
             */
            health_status: string;
        };
        /** @description What a new resource history entry is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        ResourceHistoryEntryCreate: {
            /**
             * Format: date-time
             * @description When it was measured; at most five minutes ahead of the service’s clock. Now unless given.
             * @example 2026-11-20T09:30:00.000Z
             */
            timestamp?: string;
            /**
             * Format: double
             * @description Processor time in use, in percent.
             * @example 42.5
             */
            cpu_usage: number;
            /**
             * Format: double
             * @description Memory in use, in percent.
             * @example 61
             */
            memory_usage: number;
            /**
             * Format: double
             * @description Disk space in use, in percent.
             * @example 30
             */
            storage_usage: number;
            /**
             * @description How the resource was doing: `healthy`, `degraded` … What the resource has unless given. Or another word.
             * @example healthy
             */
            health_status?: string;
            /**
             * Format: int64
             * @description Number of the sample among those of the resource, counted from 1.
             * @example 1
             */
            readonly id?: number;
            /**
             * Format: uuid
             * @description The resource that was measured.
             * @example cff00498-8c93-4e21-b7f4-2a5c9d3e7f10
             */
            readonly resource_id?: string;
        };
        /** @description A part of a list, each element a maintenance window, with the length of the whole. */
        MaintenanceWindowPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["MaintenanceWindow"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description A time in which services and resources are `under_maintenance`; all of the organization where it names none. */
        MaintenanceWindow: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 2b847609-9518-4a46-ab68-a9dfe295d7f4
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description Covers the services and resources of this client, also those to come; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string | null;
            /**
             * Format: uuid
             * @description Covers this service and its resources; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            service_id: string | null;
            /**
             * Format: uuid
             * @description Covers this resource; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            resource_id: string | null;
            /**
             * Format: date-time
             * @description When the maintenance begins.
             * @example 2026-12-01T22:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description When it ends: later than `from`.
             * @example 2026-12-02T02:00:00.000Z
             */
            to: string;
            /**
             * @description What is going to be done, for people.
             * @example New disks
             */
            note: string | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at: string;
        };
        /** @description What a new maintenance window is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        MaintenanceWindowCreate: {
            /**
             * @description Covers the services and resources of this client, also those to come; null for none. Default: null.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id?: (string | null) | components["schemas"]["NamedClient"];
            /**
             * @description Covers this service and its resources; null for none. Default: null.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            service_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * @description Covers this resource; null for none. Default: null.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            resource_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * Format: date-time
             * @description When the maintenance begins.
             * @example 2026-12-01T22:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description When it ends: later than `from`.
             * @example 2026-12-02T02:00:00.000Z
             */
            to: string;
            /**
             * @description What is going to be done, for people. Default: null.
             * @example New disks
             */
            note?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 2b847609-9518-4a46-ab68-a9dfe295d7f4
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at?: string;
        };
        /** @description What to change of a maintenance window: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        MaintenanceWindowPatch: {
            /**
             * Format: date-time
             * @description When the maintenance begins.
             * @example 2026-12-01T22:00:00.000Z
             */
            from?: string;
            /**
             * Format: date-time
             * @description When it ends: later than `from`.
             * @example 2026-12-02T04:00:00.000Z
             */
            to?: string;
            /**
             * @description What is going to be done, for people.
             * @example New disks
             */
            note?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 2b847609-9518-4a46-ab68-a9dfe295d7f4
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description Covers the services and resources of this client, also those to come; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly client_id?: string | null;
            /**
             * Format: uuid
             * @description Covers this service and its resources; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly service_id?: string | null;
            /**
             * Format: uuid
             * @description Covers this resource; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly resource_id?: string | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at?: string;
        };
        /** @description A part of a list, each element a service action, with the length of the whole. */
        ServiceActionPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["ServiceAction"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description An entry of the log of what was done to services, or something that a runner is to do. */
        ServiceAction: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 1a1d416e-34c7-4f5a-92d7-4c6e8b0a1d3f
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The service that it was done to, or is to be done to.
             * @example 0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80
             */
            service_id: string;
            /**
             * @description What was done: `restart`, `deploy`, or any other lowercase word.
             * @example restart
             */
            action_type: string;
            /**
             * @description How far it has come: `completed`, `pending`, `failed` … Or another word. With `run` the service sets it: `pending`, `running`, `completed`, `failed` or `cancelled`.
             * @example completed
             */
            status: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string;
            /**
             * @description With what it was done, for the systems that read the log. At most 64 KB as JSON.
             * @example {
             *       "graceful": true
             *     }
             */
            parameters: {
                [key: string]: unknown;
            };
            /**
             * @description Extends the specification: whether a runner is to carry it out, and it is no entry of the log alone.
             * @example false
             */
            run: boolean;
            /**
             * Format: date-time
             * @description Extends the specification: with `run`, when it may begin; null for at once.
             * @example 2026-11-20T09:30:00.000Z
             */
            scheduled_for: string | null;
            /**
             * Format: int32
             * @description Extends the specification: how often it was given to a runner, 3 times at most.
             * @example 0
             */
            readonly attempts: number;
            /**
             * Format: date-time
             * @description Extends the specification: until when its runner has it; then the next one gets it.
             * @example 2026-11-20T09:31:00.000Z
             */
            readonly leased_until: string | null;
            /**
             * Format: int32
             * @description Extends the specification: how much is done, in percent, as its runner says.
             * @example 40
             */
            readonly progress: number | null;
            /**
             * @description Extends the specification: what came of it, as its runner says.
             * @example {
             *       "seconds": 12
             *     }
             */
            readonly result: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Extends the specification: what its runner wrote, of up to 64 KB in UTF-8.
             * @example Restarted in 12 s.
             */
            readonly log: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it was completed, failed or cancelled, if a runner was to do it.
             * @example 2026-11-20T09:31:00.000Z
             */
            readonly finished_at: string | null;
        };
        /** @description What a new service action is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        ServiceActionCreate: {
            /**
             * @description The service that it was done to, or is to be done to.
             * @example 0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80
             */
            service_id: string | components["schemas"]["NamedRecord"];
            /**
             * @description What was done: `restart`, `deploy`, or any other lowercase word.
             * @example restart
             */
            action_type: string;
            /**
             * @description How far it has come: `completed`, `pending`, `failed` … Or another word. With `run` the service sets it: `pending`, `running`, `completed`, `failed` or `cancelled`. Default: `completed`.
             * @example completed
             */
            status?: string;
            /**
             * @description With what it was done, for the systems that read the log. At most 64 KB as JSON. Default: `{}`.
             * @example {
             *       "graceful": true
             *     }
             */
            parameters?: {
                [key: string]: unknown;
            };
            /**
             * @description Extends the specification: whether a runner is to carry it out, and it is no entry of the log alone. Default: `false`.
             * @example false
             */
            run?: boolean;
            /**
             * Format: date-time
             * @description Extends the specification: with `run`, when it may begin; null for at once. Default: null.
             * @example 2026-11-20T09:30:00.000Z
             */
            scheduled_for?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 1a1d416e-34c7-4f5a-92d7-4c6e8b0a1d3f
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
            /**
             * Format: int32
             * @description Extends the specification: how often it was given to a runner, 3 times at most.
             * @example 0
             */
            readonly attempts?: number;
            /**
             * Format: date-time
             * @description Extends the specification: until when its runner has it; then the next one gets it.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly leased_until?: string | null;
            /**
             * Format: int32
             * @description Extends the specification: how much is done, in percent, as its runner says.
             * @example 40
             */
            readonly progress?: number | null;
            /**
             * @description Extends the specification: what came of it, as its runner says.
             * @example {
             *       "seconds": 12
             *     }
             */
            readonly result?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Extends the specification: what its runner wrote, of up to 64 KB in UTF-8.
             * @example Restarted in 12 s.
             */
            readonly log?: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it was completed, failed or cancelled, if a runner was to do it.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly finished_at?: string | null;
        };
        /** @description What a runner can do, and for how long it takes an action. */
        ServiceActionClaim: {
            /**
             * @description The types of actions that the runner carries out.
             * @example [
             *       "restart"
             *     ]
             */
            types: string[];
            /**
             * Format: int32
             * @description For how many seconds from now the runner has it, unless it asks again. Default: `60`.
             * @example 60
             */
            lease_seconds?: number;
        };
        /** @description An action for one runner. */
        ClaimedServiceAction: {
            /** @description The action, or none where there is nothing to do. */
            actions: components["schemas"]["ServiceAction"][];
            /**
             * @description To be quoted when the action goes on; null where there is none. Shown only here: who loses it waits for the lease to end.
             * @example q0Hk7sZr2v9LxT4mWc1eYb8uNf5aGd3J
             */
            lease: string | null;
        };
        /** @description That a runner is still at work. */
        ServiceActionHeartbeat: {
            /**
             * @description What the claim has returned: only who quotes it says how the action goes on.
             * @example q0Hk7sZr2v9LxT4mWc1eYb8uNf5aGd3J
             */
            lease: string;
            /**
             * Format: int32
             * @description For how many seconds from now the runner has it, unless it asks again. Default: `60`.
             * @example 60
             */
            lease_seconds?: number;
            /**
             * Format: int32
             * @description How much is done, in percent.
             * @example 40
             */
            progress?: number;
        };
        /** @description How an action ended. */
        ServiceActionFinish: {
            /**
             * @description What the claim has returned: only who quotes it says how the action goes on.
             * @example q0Hk7sZr2v9LxT4mWc1eYb8uNf5aGd3J
             */
            lease: string;
            /**
             * @description Whether it was done.
             * @example completed
             * @enum {string}
             */
            status: "completed" | "failed";
            /**
             * Format: int32
             * @description How much is done, in percent: 100 of a completed one unless given.
             * @example 100
             */
            progress?: number;
            /**
             * @description What came of it, for programs. At most 64 KB as JSON. Default: null.
             * @example {
             *       "seconds": 12
             *     }
             */
            result?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description What there is to read about it, of up to 64 KB in UTF-8. Default: null.
             * @example Restarted in 12 s.
             */
            log?: string | null;
        };
        /** @description A part of a list, each element a terminal, with the length of the whole. */
        TerminalPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["Terminal"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description A device that stands at a client. */
        Terminal: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 7df59570-303b-4c2e-8f6a-1d2b3c4e5f60
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The client at which the device stands.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example SN-4711
             */
            external_id: string | null;
            /**
             * @description What people call the device.
             * @example Front desk
             */
            name: string;
            /**
             * @description Where at the client it stands.
             * @example Lisbon, ground floor
             */
            location: string;
            /**
             * @description `active` or `inactive`: whether the device is in use. Or another word.
             * @example active
             */
            status: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string;
        };
        /** @description What a new terminal is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        TerminalCreate: {
            /**
             * @description The client at which the device stands.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string | components["schemas"]["NamedClient"];
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same. Default: null.
             * @example SN-4711
             */
            external_id?: string | null;
            /**
             * @description What people call the device.
             * @example Front desk
             */
            name: string;
            /**
             * @description Where at the client it stands. Default: `""`.
             * @example Lisbon, ground floor
             */
            location?: string;
            /**
             * @description `active` or `inactive`: whether the device is in use. Or another word. Default: `active`.
             * @example active
             */
            status?: string;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 7df59570-303b-4c2e-8f6a-1d2b3c4e5f60
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
        };
        /** @description What a new terminal is made from, or an existing one gets: that keeps what is left out. Read-only fields are left out, or as they were read. */
        TerminalUpsert: {
            /**
             * @description The client at which the device stands.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string | components["schemas"]["NamedClient"];
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example SN-4711
             */
            external_id?: string | null;
            /**
             * @description What people call the device.
             * @example Front desk
             */
            name: string;
            /**
             * @description Where at the client it stands.
             * @example Lisbon, ground floor
             */
            location?: string;
            /**
             * @description `active` or `inactive`: whether the device is in use. Or another word.
             * @example active
             */
            status?: string;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 7df59570-303b-4c2e-8f6a-1d2b3c4e5f60
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
        };
        /** @description What to change of a terminal: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        TerminalPatch: {
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example SN-4711
             */
            external_id?: string | null;
            /**
             * @description What people call the device.
             * @example Front desk
             */
            name?: string;
            /**
             * @description Where at the client it stands.
             * @example Lisbon, ground floor
             */
            location?: string;
            /**
             * @description `active` or `inactive`: whether the device is in use. Or another word.
             * @example inactive
             */
            status?: string;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 7df59570-303b-4c2e-8f6a-1d2b3c4e5f60
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description The client at which the device stands.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly client_id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
        };
        /** @description A part of a list, each element a ticket summary, with the length of the whole. */
        TicketSummaryPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["TicketSummary"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description What a list shows of a ticket: the required fields, and with `view=full` all others. */
        TicketSummary: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 84b6353b-046d-4b3f-9a51-6c0d2e4f8a17
             */
            readonly id: string;
            /**
             * @description What people call the ticket by; no two tickets of an organization have the same. The next of the sequence `T-000042` unless given.
             * @example T-000042
             */
            ticket_code: string;
            /**
             * Format: uuid
             * @description Who asks for help: an id of your own directory.
             * @example 7d0f0c1e-52c1-4f0b-9f2b-0b6a7f3c9d21
             */
            contact_id: string;
            /**
             * @description What it is about, in one line.
             * @example The card reader in hall two is offline
             */
            subject: string;
            /**
             * @description What is wrong or wanted, at length.
             * @example It shows no light since this morning.
             */
            description: string;
            /**
             * @description Where the work stands: not begun or under way (`open`), waiting for somebody (`pending`), done (`closed`).
             * @example open
             */
            status: "open" | "closed" | "pending" | (string & {});
            /**
             * @description How urgent it is: `low`, `normal`, `high` … Or another word.
             * @example normal
             */
            priority: string;
            /**
             * @description Channel: `email`, `phone`, `web` … Or another word.
             * @example email
             */
            source: string;
            /**
             * Format: uuid
             * @description The client that it concerns; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string | null;
            /**
             * Format: uuid
             * @description The service that it concerns; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            service_id: string | null;
            /**
             * Format: uuid
             * @description Who works on it: an id of your own directory.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            assigned_to: string | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string | null;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example INC-2087
             */
            readonly external_id?: string | null;
            /**
             * Format: uuid
             * @description The resource that it concerns; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly resource_id?: string | null;
            /**
             * Format: uuid
             * @description The terminal that it concerns; null for none.
             * @example 7df59570-303b-4c2e-8f6a-1d2b3c4e5f60
             */
            readonly terminal_id?: string | null;
            /**
             * @description Which team works on it, in your own words.
             * @example field-support
             */
            readonly assigned_team?: string | null;
            /**
             * @description Labels to group tickets by, each of up to 100 characters. `tag` finds it by its first 20 different ones.
             * @example [
             *       "hardware"
             *     ]
             */
            readonly tags?: string[] | null;
            /**
             * @description Fields of your own. At most 64 KB as JSON.
             * @example {
             *       "shop": 12
             *     }
             */
            readonly custom_fields?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description Extends the specification: until when it is to be done; null for no time.
             * @example 2026-11-27T09:30:00.000Z
             */
            readonly due_at?: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at?: string | null;
            /**
             * Format: date-time
             * @description When the ticket was last changed or got a message; moved by the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_activity_at?: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it got its first message whose `author_type` is `agent` and that is not internal; null before, and of tickets that got it before this field was there.
             * @example 2026-11-20T09:41:00.000Z
             */
            readonly first_response_at?: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it was last closed; null while it is not `closed`.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly resolved_at?: string | null;
            /**
             * @description Extends the specification: whether it is past its `due_at` and not `closed`, when it is read.
             * @example false
             */
            readonly overdue?: boolean;
            /**
             * Format: uuid
             * @description Extends the specification: the ticket that goes on in its place; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly merged_into?: string | null;
            /**
             * @description Extends the specification: the tickets that it goes on for; null for none.
             * @example [
             *       "0c7f4a7e-6f0d-4f0a-9a49-0d2b7a0f5e11"
             *     ]
             */
            readonly merged_from?: string[] | null;
        };
        /** @description What a new ticket is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        TicketCreate: {
            /**
             * @description What people call the ticket by; no two tickets of an organization have the same. The next of the sequence `T-000042` unless given.
             * @example T-000042
             */
            ticket_code?: string;
            /**
             * Format: uuid
             * @description Who asks for help: an id of your own directory.
             * @example 7d0f0c1e-52c1-4f0b-9f2b-0b6a7f3c9d21
             */
            contact_id: string;
            /**
             * @description What it is about, in one line.
             * @example The card reader in hall two is offline
             */
            subject: string;
            /**
             * @description What is wrong or wanted, at length.
             * @example It shows no light since this morning.
             */
            description: string;
            /**
             * @description Where the work stands: not begun or under way (`open`), waiting for somebody (`pending`), done (`closed`). Default: `open`.
             * @example open
             * @enum {string}
             */
            status?: "open" | "closed" | "pending";
            /**
             * @description How urgent it is: `low`, `normal`, `high` … Or another word. Default: `normal`.
             * @example normal
             */
            priority?: string;
            /**
             * @description Channel: `email`, `phone`, `web` … Or another word.
             * @example email
             */
            source: string;
            /**
             * @description The client that it concerns; null for none. Default: null.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id?: (string | null) | components["schemas"]["NamedClient"];
            /**
             * @description The service that it concerns; null for none. Default: null.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            service_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * Format: uuid
             * @description Who works on it: an id of your own directory. Default: null.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            assigned_to?: string | null;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same. Default: null.
             * @example INC-2087
             */
            external_id?: string | null;
            /**
             * @description The resource that it concerns; null for none. Default: null.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            resource_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * @description The terminal that it concerns; null for none. Default: null.
             * @example 7df59570-303b-4c2e-8f6a-1d2b3c4e5f60
             */
            terminal_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * @description Which team works on it, in your own words. Default: null.
             * @example field-support
             */
            assigned_team?: string | null;
            /**
             * @description Labels to group tickets by, each of up to 100 characters. `tag` finds it by its first 20 different ones. Default: null.
             * @example [
             *       "hardware"
             *     ]
             */
            tags?: string[] | null;
            /**
             * @description Fields of your own. At most 64 KB as JSON. Default: null.
             * @example {
             *       "shop": 12
             *     }
             */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description Extends the specification: until when it is to be done; null for no time. Default: null.
             * @example 2026-11-27T09:30:00.000Z
             */
            due_at?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 84b6353b-046d-4b3f-9a51-6c0d2e4f8a17
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at?: string | null;
            /**
             * Format: date-time
             * @description When the ticket was last changed or got a message; moved by the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_activity_at?: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it got its first message whose `author_type` is `agent` and that is not internal; null before, and of tickets that got it before this field was there.
             * @example 2026-11-20T09:41:00.000Z
             */
            readonly first_response_at?: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it was last closed; null while it is not `closed`.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly resolved_at?: string | null;
            /**
             * @description Extends the specification: whether it is past its `due_at` and not `closed`, when it is read.
             * @example false
             */
            readonly overdue?: boolean;
            /**
             * Format: uuid
             * @description Extends the specification: the ticket that goes on in its place; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly merged_into?: string | null;
            /**
             * @description Extends the specification: the tickets that it goes on for; null for none.
             * @example [
             *       "0c7f4a7e-6f0d-4f0a-9a49-0d2b7a0f5e11"
             *     ]
             */
            readonly merged_from?: string[] | null;
        };
        /** @description What somebody asks an organization for help with. */
        Ticket: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 84b6353b-046d-4b3f-9a51-6c0d2e4f8a17
             */
            readonly id: string;
            /**
             * @description What people call the ticket by; no two tickets of an organization have the same. The next of the sequence `T-000042` unless given.
             * @example T-000042
             */
            ticket_code: string;
            /**
             * Format: uuid
             * @description Who asks for help: an id of your own directory.
             * @example 7d0f0c1e-52c1-4f0b-9f2b-0b6a7f3c9d21
             */
            contact_id: string;
            /**
             * @description What it is about, in one line.
             * @example The card reader in hall two is offline
             */
            subject: string;
            /**
             * @description What is wrong or wanted, at length.
             * @example It shows no light since this morning.
             */
            description: string;
            /**
             * @description Where the work stands: not begun or under way (`open`), waiting for somebody (`pending`), done (`closed`).
             * @example open
             */
            status: "open" | "closed" | "pending" | (string & {});
            /**
             * @description How urgent it is: `low`, `normal`, `high` … Or another word.
             * @example normal
             */
            priority: string;
            /**
             * @description Channel: `email`, `phone`, `web` … Or another word.
             * @example email
             */
            source: string;
            /**
             * Format: uuid
             * @description The client that it concerns; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string | null;
            /**
             * Format: uuid
             * @description The service that it concerns; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            service_id: string | null;
            /**
             * Format: uuid
             * @description Who works on it: an id of your own directory.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            assigned_to: string | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string | null;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example INC-2087
             */
            external_id: string | null;
            /**
             * Format: uuid
             * @description The resource that it concerns; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            resource_id: string | null;
            /**
             * Format: uuid
             * @description The terminal that it concerns; null for none.
             * @example 7df59570-303b-4c2e-8f6a-1d2b3c4e5f60
             */
            terminal_id: string | null;
            /**
             * @description Which team works on it, in your own words.
             * @example field-support
             */
            assigned_team: string | null;
            /**
             * @description Labels to group tickets by, each of up to 100 characters. `tag` finds it by its first 20 different ones.
             * @example [
             *       "hardware"
             *     ]
             */
            tags: string[] | null;
            /**
             * @description Fields of your own. At most 64 KB as JSON.
             * @example {
             *       "shop": 12
             *     }
             */
            custom_fields: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description Extends the specification: until when it is to be done; null for no time.
             * @example 2026-11-27T09:30:00.000Z
             */
            due_at: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at: string | null;
            /**
             * Format: date-time
             * @description When the ticket was last changed or got a message; moved by the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_activity_at: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it got its first message whose `author_type` is `agent` and that is not internal; null before, and of tickets that got it before this field was there.
             * @example 2026-11-20T09:41:00.000Z
             */
            readonly first_response_at: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it was last closed; null while it is not `closed`.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly resolved_at: string | null;
            /**
             * @description Extends the specification: whether it is past its `due_at` and not `closed`, when it is read.
             * @example false
             */
            readonly overdue: boolean;
            /**
             * Format: uuid
             * @description Extends the specification: the ticket that goes on in its place; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly merged_into: string | null;
            /**
             * @description Extends the specification: the tickets that it goes on for; null for none.
             * @example [
             *       "0c7f4a7e-6f0d-4f0a-9a49-0d2b7a0f5e11"
             *     ]
             */
            readonly merged_from: string[] | null;
        };
        /** @description What a new ticket is made from, or an existing one gets: that keeps what is left out. Read-only fields are left out, or as they were read. */
        TicketUpsert: {
            /**
             * @description What people call the ticket by; no two tickets of an organization have the same. The next of the sequence `T-000042` unless given.
             * @example T-000042
             */
            ticket_code?: string;
            /**
             * Format: uuid
             * @description Who asks for help: an id of your own directory.
             * @example 7d0f0c1e-52c1-4f0b-9f2b-0b6a7f3c9d21
             */
            contact_id: string;
            /**
             * @description What it is about, in one line.
             * @example The card reader in hall two is offline
             */
            subject: string;
            /**
             * @description What is wrong or wanted, at length.
             * @example It shows no light since this morning.
             */
            description: string;
            /**
             * @description Where the work stands: not begun or under way (`open`), waiting for somebody (`pending`), done (`closed`).
             * @example open
             * @enum {string}
             */
            status?: "open" | "closed" | "pending";
            /**
             * @description How urgent it is: `low`, `normal`, `high` … Or another word.
             * @example normal
             */
            priority?: string;
            /**
             * @description Channel: `email`, `phone`, `web` … Or another word.
             * @example email
             */
            source: string;
            /**
             * @description The client that it concerns; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id?: (string | null) | components["schemas"]["NamedClient"];
            /**
             * @description The service that it concerns; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            service_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * Format: uuid
             * @description Who works on it: an id of your own directory.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            assigned_to?: string | null;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example INC-2087
             */
            external_id?: string | null;
            /**
             * @description The resource that it concerns; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            resource_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * @description The terminal that it concerns; null for none.
             * @example 7df59570-303b-4c2e-8f6a-1d2b3c4e5f60
             */
            terminal_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * @description Which team works on it, in your own words.
             * @example field-support
             */
            assigned_team?: string | null;
            /**
             * @description Labels to group tickets by, each of up to 100 characters. `tag` finds it by its first 20 different ones.
             * @example [
             *       "hardware"
             *     ]
             */
            tags?: string[] | null;
            /**
             * @description Fields of your own. At most 64 KB as JSON.
             * @example {
             *       "shop": 12
             *     }
             */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description Extends the specification: until when it is to be done; null for no time.
             * @example 2026-11-27T09:30:00.000Z
             */
            due_at?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 84b6353b-046d-4b3f-9a51-6c0d2e4f8a17
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at?: string | null;
            /**
             * Format: date-time
             * @description When the ticket was last changed or got a message; moved by the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_activity_at?: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it got its first message whose `author_type` is `agent` and that is not internal; null before, and of tickets that got it before this field was there.
             * @example 2026-11-20T09:41:00.000Z
             */
            readonly first_response_at?: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it was last closed; null while it is not `closed`.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly resolved_at?: string | null;
            /**
             * @description Extends the specification: whether it is past its `due_at` and not `closed`, when it is read.
             * @example false
             */
            readonly overdue?: boolean;
            /**
             * Format: uuid
             * @description Extends the specification: the ticket that goes on in its place; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly merged_into?: string | null;
            /**
             * @description Extends the specification: the tickets that it goes on for; null for none.
             * @example [
             *       "0c7f4a7e-6f0d-4f0a-9a49-0d2b7a0f5e11"
             *     ]
             */
            readonly merged_from?: string[] | null;
        };
        /** @description How many tickets there are, by the values of a field. */
        TicketCounts: {
            /**
             * @description The values of the field, with the number of records that match the filters and have them. The most frequent value comes first.
             * @example [
             *       {
             *         "value": "open",
             *         "count": 1
             *       }
             *     ]
             */
            data: {
                /** @description As the filter by the field takes it; null for none. */
                value: string | null;
                /**
                 * Format: int64
                 * @description How many records have it.
                 */
                count: number;
            }[];
            /**
             * Format: int64
             * @description How many records match the filters: the sum of all counts.
             * @example 1
             */
            total: number;
        };
        /** @description What to change of a ticket: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        TicketPatch: {
            /**
             * Format: uuid
             * @description Who asks for help: an id of your own directory.
             * @example 7d0f0c1e-52c1-4f0b-9f2b-0b6a7f3c9d21
             */
            contact_id?: string;
            /**
             * @description What it is about, in one line.
             * @example The card reader in hall two is offline
             */
            subject?: string;
            /**
             * @description What is wrong or wanted, at length.
             * @example It shows no light since this morning.
             */
            description?: string;
            /**
             * @description Where the work stands: not begun or under way (`open`), waiting for somebody (`pending`), done (`closed`).
             * @example closed
             * @enum {string}
             */
            status?: "open" | "closed" | "pending";
            /**
             * @description How urgent it is: `low`, `normal`, `high` … Or another word.
             * @example normal
             */
            priority?: string;
            /**
             * @description Channel: `email`, `phone`, `web` … Or another word.
             * @example email
             */
            source?: string;
            /**
             * @description The client that it concerns; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id?: (string | null) | components["schemas"]["NamedClient"];
            /**
             * @description The service that it concerns; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            service_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * Format: uuid
             * @description Who works on it: an id of your own directory.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            assigned_to?: string | null;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example INC-2087
             */
            external_id?: string | null;
            /**
             * @description The resource that it concerns; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            resource_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * @description The terminal that it concerns; null for none.
             * @example 7df59570-303b-4c2e-8f6a-1d2b3c4e5f60
             */
            terminal_id?: (string | null) | components["schemas"]["NamedRecord"];
            /**
             * @description Which team works on it, in your own words.
             * @example field-support
             */
            assigned_team?: string | null;
            /**
             * @description Labels to group tickets by, each of up to 100 characters. `tag` finds it by its first 20 different ones.
             * @example [
             *       "hardware"
             *     ]
             */
            tags?: string[] | null;
            /**
             * @description Fields of your own. At most 64 KB as JSON.
             * @example {
             *       "shop": 12
             *     }
             */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description Extends the specification: until when it is to be done; null for no time.
             * @example 2026-11-27T09:30:00.000Z
             */
            due_at?: string | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 84b6353b-046d-4b3f-9a51-6c0d2e4f8a17
             */
            readonly id?: string;
            /**
             * @description What people call the ticket by; no two tickets of an organization have the same. The next of the sequence `T-000042` unless given.
             * @example T-000042
             */
            readonly ticket_code?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: date-time
             * @description When the record was last changed through the API; at first the time of its creation.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly updated_at?: string | null;
            /**
             * Format: date-time
             * @description When the ticket was last changed or got a message; moved by the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_activity_at?: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it got its first message whose `author_type` is `agent` and that is not internal; null before, and of tickets that got it before this field was there.
             * @example 2026-11-20T09:41:00.000Z
             */
            readonly first_response_at?: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it was last closed; null while it is not `closed`.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly resolved_at?: string | null;
            /**
             * @description Extends the specification: whether it is past its `due_at` and not `closed`, when it is read.
             * @example false
             */
            readonly overdue?: boolean;
            /**
             * Format: uuid
             * @description Extends the specification: the ticket that goes on in its place; null for none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly merged_into?: string | null;
            /**
             * @description Extends the specification: the tickets that it goes on for; null for none.
             * @example [
             *       "0c7f4a7e-6f0d-4f0a-9a49-0d2b7a0f5e11"
             *     ]
             */
            readonly merged_from?: string[] | null;
        };
        /** @description Which ticket goes on in the place of this one. */
        TicketMerge: {
            /**
             * @description The ticket that goes on, of the same client where both have one.
             * @example 8c7d1f8e-55a3-4f0b-9c1d-2e3f4a5b6c7d
             */
            into: string | components["schemas"]["NamedRecord"];
        };
        /** @description The beginning of a list, or what follows a cursor; each element a ticket message. */
        TicketMessageList: {
            /** @description Up to 1000 records. `Link` leads to the next ones, if there are any. */
            data: components["schemas"]["TicketMessage"][];
        };
        /** @description What was said about a ticket. */
        TicketMessage: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example babb9a7d-89a0-4b11-a7d0-3f9b8f1e6c52
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The ticket that it was written in.
             * @example 84b6353b-046d-4b3f-9a51-6c0d2e4f8a17
             */
            readonly ticket_id: string;
            /**
             * @description As what its author writes: `agent`, `customer`, `system` … Or another word.
             * @example agent
             */
            author_type: string;
            /**
             * Format: uuid
             * @description Who wrote it: an id of your own directory.
             * @example 2b9e6a54-3f0d-4a7e-8c41-d5f6a7b8c9d0
             */
            author_id: string;
            /**
             * @description What was written, as plain text; `removed` where it was deleted.
             * @example Please pull the plug, wait ten seconds and put it back.
             */
            message: string;
            /**
             * @description Whether it is for the people of the organization only, and not to be shown to the client.
             * @example false
             */
            is_internal: boolean;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:41:00.000Z
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description Extends the specification: when its text was last changed.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly edited_at: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it was deleted.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly removed_at: string | null;
        };
        /** @description What a new ticket message is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        TicketMessageCreate: {
            /**
             * @description As what its author writes: `agent`, `customer`, `system` … Or another word.
             * @example agent
             */
            author_type: string;
            /**
             * Format: uuid
             * @description Who wrote it: an id of your own directory.
             * @example 2b9e6a54-3f0d-4a7e-8c41-d5f6a7b8c9d0
             */
            author_id: string;
            /**
             * @description What was written, as plain text; `removed` where it was deleted.
             * @example Please pull the plug, wait ten seconds and put it back.
             */
            message: string;
            /**
             * @description Whether it is for the people of the organization only, and not to be shown to the client. Default: `false`.
             * @example false
             */
            is_internal?: boolean;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example babb9a7d-89a0-4b11-a7d0-3f9b8f1e6c52
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description The ticket that it was written in.
             * @example 84b6353b-046d-4b3f-9a51-6c0d2e4f8a17
             */
            readonly ticket_id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:41:00.000Z
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description Extends the specification: when its text was last changed.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly edited_at?: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it was deleted.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly removed_at?: string | null;
        };
        /** @description What to change of a ticket message: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        TicketMessagePatch: {
            /**
             * @description What was written, as plain text; `removed` where it was deleted.
             * @example Please pull the plug, wait a minute and put it back.
             */
            message?: string;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example babb9a7d-89a0-4b11-a7d0-3f9b8f1e6c52
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description The ticket that it was written in.
             * @example 84b6353b-046d-4b3f-9a51-6c0d2e4f8a17
             */
            readonly ticket_id?: string;
            /**
             * @description As what its author writes: `agent`, `customer`, `system` … Or another word.
             * @example agent
             */
            readonly author_type?: string;
            /**
             * Format: uuid
             * @description Who wrote it: an id of your own directory.
             * @example 2b9e6a54-3f0d-4a7e-8c41-d5f6a7b8c9d0
             */
            readonly author_id?: string;
            /**
             * @description Whether it is for the people of the organization only, and not to be shown to the client.
             * @example false
             */
            readonly is_internal?: boolean;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:41:00.000Z
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description Extends the specification: when its text was last changed.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly edited_at?: string | null;
            /**
             * Format: date-time
             * @description Extends the specification: when it was deleted.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly removed_at?: string | null;
        };
        /** @description A part of a list, each element a user, with the length of the whole. */
        UserPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["User"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description A person of an organization. */
        User: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 1a1d416e-34c7-4d5e-8f60-112233445566
             */
            readonly id: string;
            /**
             * Format: idn-email
             * @description Where mail to the person goes; no two users of an organization have the same, in whatever case or form of its domain.
             * @example ines@acme.example
             */
            email: string;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example hr-204
             */
            external_id: string | null;
            /**
             * @description What the person is called.
             * @example Inês Duarte
             */
            name: string | null;
            /**
             * @description Telephone number, as people write it.
             * @example +351 210 000 000
             */
            phone: string | null;
            /**
             * Format: uri
             * @description Where a picture of the person is, with http or https.
             * @example https://acme.example/ines.png
             */
            avatar_url: string | null;
            /**
             * @description Whether the person has every power; only platform callers set it.
             * @example false
             */
            is_superadmin: boolean;
            /**
             * @description Whether the person belongs to the organization at present.
             * @example true
             */
            is_active: boolean;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string | null;
            /**
             * Format: date-time
             * @description When the person last signed in, to ten minutes; null for never.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_login: string | null;
        };
        /** @description What a new user is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        UserCreate: {
            /**
             * Format: idn-email
             * @description Where mail to the person goes; no two users of an organization have the same, in whatever case or form of its domain.
             * @example ines@acme.example
             */
            email: string;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same. Default: null.
             * @example hr-204
             */
            external_id?: string | null;
            /**
             * @description What the person is called. Default: null.
             * @example Inês Duarte
             */
            name?: string | null;
            /**
             * @description Telephone number, as people write it. Default: null.
             * @example +351 210 000 000
             */
            phone?: string | null;
            /**
             * Format: uri
             * @description Where a picture of the person is, with http or https. Default: null.
             * @example https://acme.example/ines.png
             */
            avatar_url?: string | null;
            /**
             * @description Whether the person has every power; only platform callers set it. Default: `false`.
             * @example false
             */
            is_superadmin?: boolean;
            /**
             * @description Whether the person belongs to the organization at present. Default: `true`.
             * @example true
             */
            is_active?: boolean;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 1a1d416e-34c7-4d5e-8f60-112233445566
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: date-time
             * @description When the person last signed in, to ten minutes; null for never.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_login?: string | null;
        };
        /** @description What a new user is made from, or an existing one gets: that keeps what is left out. Read-only fields are left out, or as they were read. */
        UserUpsert: {
            /**
             * Format: idn-email
             * @description Where mail to the person goes; no two users of an organization have the same, in whatever case or form of its domain.
             * @example ines@acme.example
             */
            email: string;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example hr-204
             */
            external_id?: string | null;
            /**
             * @description What the person is called.
             * @example Inês Duarte
             */
            name?: string | null;
            /**
             * @description Telephone number, as people write it.
             * @example +351 210 000 000
             */
            phone?: string | null;
            /**
             * Format: uri
             * @description Where a picture of the person is, with http or https.
             * @example https://acme.example/ines.png
             */
            avatar_url?: string | null;
            /**
             * @description Whether the person has every power; only platform callers set it.
             * @example false
             */
            is_superadmin?: boolean;
            /**
             * @description Whether the person belongs to the organization at present.
             * @example true
             */
            is_active?: boolean;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 1a1d416e-34c7-4d5e-8f60-112233445566
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: date-time
             * @description When the person last signed in, to ten minutes; null for never.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_login?: string | null;
        };
        /** @description What to change of a user: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        UserPatch: {
            /**
             * Format: idn-email
             * @description Where mail to the person goes; no two users of an organization have the same, in whatever case or form of its domain.
             * @example ines@acme.example
             */
            email?: string;
            /**
             * @description Extends the specification: what another system calls it by; no two of its kind in an organization have the same.
             * @example hr-204
             */
            external_id?: string | null;
            /**
             * @description What the person is called.
             * @example Inês Duarte
             */
            name?: string | null;
            /**
             * @description Telephone number, as people write it.
             * @example +351 210 000 000
             */
            phone?: string | null;
            /**
             * Format: uri
             * @description Where a picture of the person is, with http or https.
             * @example https://acme.example/ines.png
             */
            avatar_url?: string | null;
            /**
             * @description Whether the person has every power; only platform callers set it.
             * @example false
             */
            is_superadmin?: boolean;
            /**
             * @description Whether the person belongs to the organization at present.
             * @example false
             */
            is_active?: boolean;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 1a1d416e-34c7-4d5e-8f60-112233445566
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
            /**
             * Format: date-time
             * @description When the person last signed in, to ten minutes; null for never.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_login?: string | null;
        };
        /** @description The beginning of a list, or what follows a cursor; each element a identity. */
        IdentityList: {
            /** @description Up to 1000 records. `Link` leads to the next ones, if there are any. */
            data: components["schemas"]["Identity"][];
        };
        /** @description By what a provider knows a user. */
        Identity: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 7be1d0c4-58a2-4f97-a3d6-0c9e2b4f6a81
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description Who signs in by it.
             * @example 1a1d416e-34c7-4d5e-8f60-112233445566
             */
            readonly user_id: string;
            /**
             * Format: uuid
             * @description The identity provider that knows the person.
             * @example 4d1f7c52-90ab-4e36-8f0d-7b2c5e9a1d38
             */
            provider_id: string;
            /**
             * @description The `sub` of the provider’s tokens, character by character. It is of one user, whatever else the token says.
             * @example AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ
             */
            subject: string;
            /**
             * @description Who linked it: an administrator, or the provider, by a mail address that it has verified.
             * @example administrator
             */
            readonly linked_by: "administrator" | "mail" | (string & {});
            /**
             * Format: idn-email
             * @description The mail address by which it was linked; null by an administrator.
             * @example ines@acme.example
             */
            readonly email: string | null;
            /**
             * @description The permissions of who linked it; null for all, and by mail. No membership gives the user more.
             * @example [
             *       "memberships:write",
             *       "tickets:write",
             *       "users:write"
             *     ]
             */
            readonly known_with: string[] | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string;
        };
        /** @description What a new identity is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        IdentityCreate: {
            /**
             * Format: uuid
             * @description The identity provider that knows the person.
             * @example 4d1f7c52-90ab-4e36-8f0d-7b2c5e9a1d38
             */
            provider_id: string;
            /**
             * @description The `sub` of the provider’s tokens, character by character. It is of one user, whatever else the token says.
             * @example AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ
             */
            subject: string;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 7be1d0c4-58a2-4f97-a3d6-0c9e2b4f6a81
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description Who signs in by it.
             * @example 1a1d416e-34c7-4d5e-8f60-112233445566
             */
            readonly user_id?: string;
            /**
             * @description Who linked it: an administrator, or the provider, by a mail address that it has verified.
             * @example administrator
             * @enum {string}
             */
            readonly linked_by?: "administrator" | "mail";
            /**
             * Format: idn-email
             * @description The mail address by which it was linked; null by an administrator.
             * @example ines@acme.example
             */
            readonly email?: string | null;
            /**
             * @description The permissions of who linked it; null for all, and by mail. No membership gives the user more.
             * @example [
             *       "memberships:write",
             *       "tickets:write",
             *       "users:write"
             *     ]
             */
            readonly known_with?: string[] | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
        };
        /** @description What a user may do. */
        UserAccess: {
            /**
             * Format: uuid
             * @description Whose it is.
             * @example 1a1d416e-34c7-4d5e-8f60-112233445566
             */
            user_id: string;
            /**
             * @description Whether it belongs to the organization: otherwise it does nothing.
             * @example true
             */
            is_active: boolean;
            /**
             * @description Whether it does everything in its organization.
             * @example false
             */
            is_superadmin: boolean;
            /**
             * @description Whether the organization lets its users in: otherwise they do nothing.
             * @example true
             */
            membership_access: boolean;
            /**
             * @description Of its active memberships, those whose role has permissions.
             * @example [
             *       {
             *         "membership_id": "119844a2-eebc-4a2b-9c3d-4e5f60718293",
             *         "role_id": "029eb7db-8f29-4f4e-a1b2-7c8d9e0f1a2b",
             *         "client_id": null,
             *         "permissions": [
             *           "tickets:read",
             *           "tickets:write"
             *         ]
             *       }
             *     ]
             */
            grants: {
                /**
                 * Format: uuid
                 * @description The membership that gives it.
                 * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
                 */
                membership_id: string;
                /**
                 * Format: uuid
                 * @description The role of the membership.
                 * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
                 */
                role_id: string | null;
                /**
                 * Format: uuid
                 * @description The client to whom it is limited; null for none.
                 * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
                 */
                client_id: string | null;
                /** @description What the role permits. */
                permissions: string[];
            }[];
            /**
             * @description What it may do in the whole organization; null for everything.
             * @example [
             *       "tickets:read",
             *       "tickets:write"
             *     ]
             */
            permissions: string[] | null;
            /**
             * @description What it may do besides for single clients. What two clients permit is never united.
             * @example []
             */
            clients: {
                /**
                 * Format: uuid
                 * @description The client.
                 * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
                 */
                client_id: string;
                /** @description What it may do for this client. */
                permissions: string[];
            }[];
        };
        /** @description What a request has ended of a user who leaves. */
        Offboarding: {
            /**
             * Format: uuid
             * @description Whose it is.
             * @example 1a1d416e-34c7-4d5e-8f60-112233445566
             */
            user_id: string;
            /**
             * Format: int64
             * @description Memberships that are inactive now.
             * @example 2
             */
            ended_memberships: number;
            /**
             * Format: int64
             * @description Identities that are gone now.
             * @example 1
             */
            removed_identities: number;
            /**
             * Format: int64
             * @description Open tickets that are nobody’s now.
             * @example 7
             */
            unassigned_tickets: number;
            /**
             * @description Whether nothing is left. Otherwise send the request again.
             * @example true
             */
            done: boolean;
        };
        /** @description The beginning of a list, or what follows a cursor; each element a membership. */
        MembershipList: {
            /** @description Up to 1000 records. `Link` leads to the next ones, if there are any. */
            data: components["schemas"]["Membership"][];
        };
        /** @description That a person belongs to an organization or to one of its clients. */
        Membership: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 119844a2-eebc-4a2b-9c3d-4e5f60718293
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The person who is a member.
             * @example 1a1d416e-34c7-4d5e-8f60-112233445566
             */
            user_id: string;
            /**
             * Format: uuid
             * @description Of which organization; the caller’s own unless a platform caller names one.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id: string;
            /**
             * Format: uuid
             * @description The client to whom the membership is limited; null for the whole organization.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string | null;
            /**
             * Format: uuid
             * @description In which role; null for none. Only platform callers give and end system roles.
             * @example 029eb7db-8f29-4f4e-a1b2-7c8d9e0f1a2b
             */
            role_id: string | null;
            /**
             * @description `active` or `inactive`: whether it holds at present. Or another word.
             * @example active
             */
            status: string;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "desk": "B7"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string | null;
        };
        /** @description What a new membership is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        MembershipCreate: {
            /**
             * @description The person who is a member.
             * @example 1a1d416e-34c7-4d5e-8f60-112233445566
             */
            user_id: string | components["schemas"]["NamedRecord"];
            /**
             * Format: uuid
             * @description Of which organization; the caller’s own unless a platform caller names one.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id?: string;
            /**
             * @description The client to whom the membership is limited; null for the whole organization. Default: null.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id?: (string | null) | components["schemas"]["NamedClient"];
            /**
             * Format: uuid
             * @description In which role; null for none. Only platform callers give and end system roles. Default: null.
             * @example 029eb7db-8f29-4f4e-a1b2-7c8d9e0f1a2b
             */
            role_id?: string | null;
            /**
             * @description `active` or `inactive`: whether it holds at present. Or another word. Default: `active`.
             * @example active
             */
            status?: string;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON. Default: null.
             * @example {
             *       "desk": "B7"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 119844a2-eebc-4a2b-9c3d-4e5f60718293
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
        };
        /** @description A part of a list, each element a membership, with the length of the whole. */
        MembershipPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["Membership"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description A part of a list, each element a role, with the length of the whole. */
        RolePage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["Role"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description As what a person belongs to an organization. */
        Role: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 029eb7db-8f29-4f4e-a1b2-7c8d9e0f1a2b
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The organization that has the role; null for the platform. Platform callers must name it, here or in the query.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id: string | null;
            /**
             * @description Short name for programs; no two roles of an organization have the same.
             * @example support
             */
            code: string;
            /**
             * @description What people call the role.
             * @example Support
             */
            label: string;
            /**
             * @description What the role is for, for people.
             * @example Answers tickets
             */
            description: string | null;
            /**
             * @description Made by platform callers only.
             * @example false
             */
            is_system: boolean;
            /**
             * @description Extends the specification: what the role permits, here where the organization has `membership_access`, and in systems that show it; null permits nothing. Its maker must have them.
             * @example [
             *       "tickets:read",
             *       "tickets:write"
             *     ]
             */
            permissions: string[] | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string | null;
        };
        /** @description What a new role is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        RoleCreate: {
            /**
             * Format: uuid
             * @description The organization that has the role; null for the platform. Platform callers must name it, here or in the query.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id?: string | null;
            /**
             * @description Short name for programs; no two roles of an organization have the same.
             * @example support
             */
            code: string;
            /**
             * @description What people call the role.
             * @example Support
             */
            label: string;
            /**
             * @description What the role is for, for people. Default: null.
             * @example Answers tickets
             */
            description?: string | null;
            /**
             * @description Made by platform callers only. Default: `false`.
             * @example false
             */
            is_system?: boolean;
            /**
             * @description Extends the specification: what the role permits, here where the organization has `membership_access`, and in systems that show it; null permits nothing. Its maker must have them. Default: null.
             * @example [
             *       "tickets:read",
             *       "tickets:write"
             *     ]
             */
            permissions?: string[] | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 029eb7db-8f29-4f4e-a1b2-7c8d9e0f1a2b
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
        };
        /** @description A part of a list, each element a permission, with the length of the whole. */
        PermissionPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["Permission"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description What an integration may be allowed to do. */
        Permission: {
            /**
             * Format: uuid
             * @description Made from the code, and the same wherever this service runs.
             * @example 36f80d5e-1441-56cb-b5f9-b1b7964d034f
             */
            readonly id: string;
            /**
             * @description `<area>:<verb>`, as an integration is given it.
             * @example clients:read
             */
            readonly code: string;
            /**
             * @description What it allows, in words.
             * @example Read clients
             */
            readonly description: string;
        };
        /** @description What to change of a membership: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        MembershipPatch: {
            /**
             * Format: uuid
             * @description In which role; null for none. Only platform callers give and end system roles.
             * @example 029eb7db-8f29-4f4e-a1b2-7c8d9e0f1a2b
             */
            role_id?: string | null;
            /**
             * @description `active` or `inactive`: whether it holds at present. Or another word.
             * @example inactive
             */
            status?: string;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "desk": "B7"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 119844a2-eebc-4a2b-9c3d-4e5f60718293
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description The person who is a member.
             * @example 1a1d416e-34c7-4d5e-8f60-112233445566
             */
            readonly user_id?: string;
            /**
             * Format: uuid
             * @description Of which organization; the caller’s own unless a platform caller names one.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            readonly org_id?: string;
            /**
             * Format: uuid
             * @description The client to whom the membership is limited; null for the whole organization.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly client_id?: string | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
        };
        /** @description The beginning of a list, or what follows a cursor; each element a attachment. */
        AttachmentList: {
            /** @description Up to 1000 records. `Link` leads to the next ones, if there are any. */
            data: components["schemas"]["Attachment"][];
        };
        /** @description A file that belongs to a ticket. Its bytes go to and come from a store of objects, by URLs. */
        Attachment: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example c1d5a7b2-5b1e-4c47-9d0a-7e2f4b6a8c13
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The ticket that it belongs to.
             * @example 84b6353b-046d-4b3f-9a51-6c0d2e4f8a17
             */
            readonly ticket_id: string;
            /**
             * @description Name of the file, without a path; at most 255 bytes of UTF-8.
             * @example receipt.txt
             */
            name: string;
            /**
             * @description What it is, as its sender says: `application/pdf`. Downloads are always `application/octet-stream`.
             * @example text/plain
             */
            media_type: string;
            /**
             * Format: int32
             * @description How many bytes it has.
             * @example 5
             */
            size: number;
            /**
             * @description Its SHA-256 digest, in hexadecimal digits. Other bytes are refused.
             * @example 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
             */
            sha256: string;
            /**
             * @description Whether it is for the people of the organization only, and not to be shown to the client.
             * @example false
             */
            is_internal: boolean;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When its upload was completed; null before. Lists have it from then on.
             * @example 2026-11-20T09:30:02.000Z
             */
            readonly uploaded_at: string | null;
            /** @description Where the bytes go; only in the response to the creation, and valid for 15 minutes. */
            readonly upload?: {
                /**
                 * @description Where to send the bytes. Whoever has the URL can do so.
                 * @example https://attachments.s3.eu-west-1.amazonaws.com/6f1c1f0e/c1d5a7b2?X-Amz-Signature=…
                 */
                url: string;
                /**
                 * @description How to send them.
                 * @constant
                 */
                method: "PUT";
                /** @description Headers to send, as they are, besides a `Content-Length` of `size`. */
                headers: {
                    /**
                     * @description Has the store compare the bytes with `sha256`.
                     * @example LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=
                     */
                    "x-amz-checksum-sha256": string;
                    /**
                     * @description Has the store take the bytes once.
                     * @constant
                     */
                    "if-none-match": "*";
                };
                /**
                 * Format: date-time
                 * @description Until when the upload may begin.
                 * @example 2026-11-20T09:45:00.000Z
                 */
                expires_at: string;
            };
            /** @description Where the bytes are; only where a single attachment is read that was uploaded, and valid for 5 minutes or a little longer. */
            readonly download?: {
                /**
                 * @description Where to get the bytes, as a file to save. Whoever has the URL can do so.
                 * @example https://attachments.s3.eu-west-1.amazonaws.com/6f1c1f0e/c1d5a7b2?X-Amz-Signature=…
                 */
                url: string;
                /**
                 * Format: date-time
                 * @description Until when it may be used.
                 * @example 2026-11-20T09:36:00.000Z
                 */
                expires_at: string;
            };
        };
        /** @description What a new attachment is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        AttachmentCreate: {
            /**
             * @description Name of the file, without a path; at most 255 bytes of UTF-8.
             * @example receipt.txt
             */
            name: string;
            /**
             * @description What it is, as its sender says: `application/pdf`. Downloads are always `application/octet-stream`.
             * @example text/plain
             */
            media_type: string;
            /**
             * Format: int32
             * @description How many bytes it has.
             * @example 5
             */
            size: number;
            /**
             * @description Its SHA-256 digest, in hexadecimal digits. Other bytes are refused.
             * @example 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
             */
            sha256: string;
            /**
             * @description Whether it is for the people of the organization only, and not to be shown to the client. Default: `false`.
             * @example false
             */
            is_internal?: boolean;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example c1d5a7b2-5b1e-4c47-9d0a-7e2f4b6a8c13
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description The ticket that it belongs to.
             * @example 84b6353b-046d-4b3f-9a51-6c0d2e4f8a17
             */
            readonly ticket_id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When its upload was completed; null before. Lists have it from then on.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly uploaded_at?: string | null;
            /** @description Where the bytes go; only in the response to the creation, and valid for 15 minutes. */
            readonly upload?: {
                /**
                 * @description Where to send the bytes. Whoever has the URL can do so.
                 * @example https://attachments.s3.eu-west-1.amazonaws.com/6f1c1f0e/c1d5a7b2?X-Amz-Signature=…
                 */
                url: string;
                /**
                 * @description How to send them.
                 * @constant
                 */
                method: "PUT";
                /** @description Headers to send, as they are, besides a `Content-Length` of `size`. */
                headers: {
                    /**
                     * @description Has the store compare the bytes with `sha256`.
                     * @example LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=
                     */
                    "x-amz-checksum-sha256": string;
                    /**
                     * @description Has the store take the bytes once.
                     * @constant
                     */
                    "if-none-match": "*";
                };
                /**
                 * Format: date-time
                 * @description Until when the upload may begin.
                 * @example 2026-11-20T09:45:00.000Z
                 */
                expires_at: string;
            };
            /** @description Where the bytes are; only where a single attachment is read that was uploaded, and valid for 5 minutes or a little longer. */
            readonly download?: {
                /**
                 * @description Where to get the bytes, as a file to save. Whoever has the URL can do so.
                 * @example https://attachments.s3.eu-west-1.amazonaws.com/6f1c1f0e/c1d5a7b2?X-Amz-Signature=…
                 */
                url: string;
                /**
                 * Format: date-time
                 * @description Until when it may be used.
                 * @example 2026-11-20T09:30:00.000Z
                 */
                expires_at: string;
            };
        };
        /** @description A group of alerts. */
        AlertmanagerAlerts: {
            /**
             * @description The alerts.
             * @example [
             *       {
             *         "status": "firing",
             *         "fingerprint": "db-1",
             *         "labels": {
             *           "alertname": "DiskFull",
             *           "severity": "critical",
             *           "client_slug": "acme"
             *         },
             *         "annotations": {
             *           "summary": "The disk of db-1 is full"
             *         },
             *         "startsAt": "2026-11-20T09:30:00.000Z"
             *       }
             *     ]
             */
            alerts: ({
                /**
                 * @description Whether it fires, or is over.
                 * @enum {string}
                 */
                status: "firing" | "resolved";
                /** @description Names what fires, and has one open ticket at most. */
                fingerprint: string;
                /** @description What it is about: `client_slug`, `severity` … */
                labels?: {
                    [key: string]: unknown;
                } | null;
                /** @description `summary` is the subject of the ticket, `description` its description. */
                annotations?: {
                    [key: string]: unknown;
                } | null;
                /** @description When it began to fire. */
                startsAt?: string;
                /** @description When it was over. */
                endsAt?: string;
                /** @description Where the rule is that fires. */
                generatorURL?: string;
            } & {
                [key: string]: unknown;
            })[];
        };
        /** @description What was done about each alert. */
        AlertsTaken: {
            /**
             * @description One for each alert, in their order.
             * @example [
             *       {
             *         "fingerprint": "db-1",
             *         "outcome": "opened",
             *         "ticket_id": "84b6353b-046d-4b3f-9a51-6c0d2e4f8a17",
             *         "ticket_code": "T-000042"
             *       }
             *     ]
             */
            alerts: {
                /** @description That of the alert: its first 200 characters; null for none. */
                fingerprint: string | null;
                /** @description `ignored` came late, `refused` is no alert, `failed` and `not_attempted` are to be sent again. */
                outcome: "opened" | "repeated" | "resolved" | "held" | "collected" | "ignored" | "refused" | "failed" | "not_attempted" | (string & {});
                /**
                 * Format: uuid
                 * @description Its ticket; null for none.
                 * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
                 */
                ticket_id: string | null;
                /** @description What people call that ticket by. */
                ticket_code: string | null;
            }[];
        };
        /** @description An alert. */
        Alert: {
            /**
             * @description Names what fires, and has one open ticket at most.
             * @example db-1
             */
            fingerprint: string;
            /**
             * @description Whether it fires, or is over.
             * @example firing
             * @enum {string}
             */
            status: "firing" | "resolved";
            /**
             * @description What it is about, in one line: the subject of its ticket.
             * @example The disk of db-1 is full
             */
            summary?: string;
            /**
             * @description The same at length.
             * @example The disk of db-1 is full
             */
            description?: string;
            /**
             * @description What it is about: `client_slug`, `severity` …
             * @example {
             *       "severity": "critical",
             *       "client_slug": "acme"
             *     }
             */
            labels?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When it began to fire: the same when it is over. It only orders what comes late.
             * @example 2026-11-20T09:30:00.000Z
             */
            starts_at?: string;
            /**
             * @description When it was over.
             * @example 2026-11-20T09:45:00.000Z
             */
            ends_at?: string;
        };
        /** @description Deleted records that can be restored. */
        TrashPage: {
            /** @description What was deleted last comes first. */
            data: components["schemas"]["TrashedRecord"][];
            /**
             * @description The cursor to go on from: the next request’s `after`. Null at the end.
             * @example 001795728600000-1690c4dc-6f18-4b6d-a3f2-7c9e0d4b5a18
             */
            next: string | null;
            /**
             * @description Whether there is more.
             * @example false
             */
            more: boolean;
        };
        /** @description A deleted record that can be restored. */
        TrashedRecord: {
            /**
             * Format: uuid
             * @description Names the record, as before its deletion.
             * @example 1690c4dc-6f18-4b6d-a3f2-7c9e0d4b5a18
             */
            id: string;
            /**
             * @description Which records it is one of.
             * @example tickets
             */
            kind: "tickets" | "services" | "resources" | (string & {});
            /**
             * @description What it was about: the beginning of its `subject` or `name`.
             * @example No sound
             */
            title: string;
            /**
             * Format: date-time
             * @description When it was deleted.
             * @example 2026-11-20T09:30:00.000Z
             */
            deleted_at: string;
            /**
             * Format: date-time
             * @description Until when it can be restored.
             * @example 2026-12-20T09:30:00.000Z
             */
            restorable_until: string;
            /**
             * Format: uuid
             * @description Id of the integration or user that deleted it; null for others, such as the operator.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            deleted_by: string | null;
        };
        /** @description Operations that are carried out one by one, as if each had been sent alone. */
        Batch: {
            /**
             * @description What to do.
             * @example [
             *       {
             *         "key": "row-1",
             *         "operation": "createClient",
             *         "body": {
             *           "name": "Acme Lda"
             *         }
             *       }
             *     ]
             */
            operations: {
                /** @description Names the operation in the response; unique in the batch. Of a creation it is the `Idempotency-Key` as well: sent again within a day, here or alone, it creates nothing. */
                key: string;
                /**
                 * @description What to do: the id of an operation in this document.
                 * @enum {string}
                 */
                operation: "createClient" | "upsertClient" | "updateClient" | "createService" | "upsertService" | "updateService" | "deleteService" | "restoreService" | "createResource" | "upsertResource" | "updateResource" | "deleteResource" | "restoreResource" | "createResourceHistoryEntry" | "createMaintenanceWindow" | "updateMaintenanceWindow" | "deleteMaintenanceWindow" | "createServiceAction" | "createTerminal" | "upsertTerminal" | "updateTerminal" | "createTicket" | "upsertTicket" | "updateTicket" | "deleteTicket" | "restoreTicket" | "createTicketMessage" | "updateTicketMessage" | "deleteTicketMessage" | "createUser" | "upsertUser" | "updateUser" | "deleteUser" | "createMembership" | "createRole" | "updateMembership" | "deleteMembership";
                /** @description The parameters of its path and query, by name: `{ "id": "…" }`. */
                params?: {
                    [key: string]: string;
                };
                /** @description Its body, where it takes one. */
                body?: {
                    [key: string]: unknown;
                };
                /** @description Of a change or a deletion: the `ETag` that was read, as `If-Match` takes it. */
                if_match?: string;
            }[];
        };
        /** @description What became of each operation of a batch. */
        BatchResult: {
            /**
             * @description One for each operation, in their order.
             * @example [
             *       {
             *         "key": "row-1",
             *         "status": 201,
             *         "etag": "\"1.pQ8x0aZcVd1k\"",
             *         "body": {
             *           "id": "1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04",
             *           "version": 1
             *         }
             *       }
             *     ]
             */
            results: {
                /** @description That of the operation. */
                key: string;
                /**
                 * Format: int32
                 * @description The status that the operation would have had alone.
                 */
                status: number;
                /** @description The `ETag` of the record: `if_match` takes it. */
                etag?: string;
                /**
                 * @description There when a creation with this key was carried out before, and this is its response.
                 * @example true
                 */
                replayed?: boolean;
                /**
                 * Format: int32
                 * @description Seconds to wait before it is sent again.
                 */
                retry_after?: number;
                /** @description The `id` and `version` of the record; the whole record with `Prefer: return=representation`. */
                body?: {
                    [key: string]: unknown;
                };
                /** @description Why it was not carried out: problem details as the operation returns them alone. Pointers begin in its own body. */
                problem?: components["schemas"]["Problem"];
                /**
                 * @description There when the response would be too large with the body, or with the findings of the problem.
                 * @example true
                 */
                omitted?: boolean;
            }[];
            /**
             * @description How many operations have which status.
             * @example {
             *       "201": 1
             *     }
             */
            counts: {
                [key: string]: number;
            };
        };
        /** @description A message of the Model Context Protocol: a request or a notification of JSON-RPC 2.0. */
        McpMessage: {
            /**
             * @description Version of JSON-RPC.
             * @constant
             */
            jsonrpc: "2.0";
            /**
             * @description Names the request; a message without one is a notification.
             * @example 1
             */
            id?: string | number;
            /**
             * @description What is asked for.
             * @example tools/list
             */
            method: string;
            /**
             * @description What the method takes. `_meta` says which version is spoken.
             * @example {
             *       "name": "listTickets"
             *     }
             */
            params?: {
                [key: string]: unknown;
            };
        };
        /** @description The response to a request of the Model Context Protocol: a result or an error. */
        McpResponse: {
            /**
             * @description Version of JSON-RPC.
             * @constant
             */
            jsonrpc: "2.0";
            /**
             * @description That of the request; missing where it could not be read.
             * @example 1
             */
            id?: string | number;
            /**
             * @description What the method returns. A tool may have failed: `isError`.
             * @example {
             *       "tools": []
             *     }
             */
            result?: {
                [key: string]: unknown;
            };
            /**
             * @description Why the message was refused.
             * @example {
             *       "code": -32601,
             *       "message": "Method not found"
             *     }
             */
            error?: {
                [key: string]: unknown;
            };
        };
        /** @description A part of a list, each element a organization, with the length of the whole. */
        OrganizationPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["Organization"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description A tenant of the service, which sees nothing of the others. */
        Organization: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            readonly id: string;
            /**
             * @description What people call the organization.
             * @example Acme Lda
             */
            name: string;
            /**
             * @description Short name for web addresses; made from the name unless given. Not unique.
             * @example acme-lda
             */
            slug: string;
            /**
             * @description Settings of the systems that use the organization; they change nothing here. At most 64 KB as JSON.
             * @example {
             *       "locale": "pt-PT"
             *     }
             */
            settings: {
                [key: string]: unknown;
            };
            /**
             * @description Extends the specification: whether its users may sign in, and do what their memberships permit. Only a caller with all permissions changes it, and the slug meanwhile, which no other organization with `true` may have.
             * @example false
             */
            membership_access: boolean;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string;
        };
        /** @description What a new organization is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        OrganizationCreate: {
            /**
             * @description What people call the organization.
             * @example Acme Lda
             */
            name: string;
            /**
             * @description Short name for web addresses; made from the name unless given. Not unique.
             * @example acme-lda
             */
            slug?: string;
            /**
             * @description Settings of the systems that use the organization; they change nothing here. At most 64 KB as JSON. Default: `{}`.
             * @example {
             *       "locale": "pt-PT"
             *     }
             */
            settings?: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
        };
        /** @description What to change of a organization: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        OrganizationPatch: {
            /**
             * @description What people call the organization.
             * @example Acme Europe
             */
            name?: string;
            /**
             * @description Short name for web addresses; made from the name unless given. Not unique.
             * @example acme-lda
             */
            slug?: string;
            /**
             * @description Settings of the systems that use the organization; they change nothing here. At most 64 KB as JSON.
             * @example {
             *       "locale": "en-IE"
             *     }
             */
            settings?: {
                [key: string]: unknown;
            };
            /**
             * @description Extends the specification: whether its users may sign in, and do what their memberships permit. Only a caller with all permissions changes it, and the slug meanwhile, which no other organization with `true` may have.
             * @example false
             */
            membership_access?: boolean;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
        };
        /** @description A part of a list, each element a identity provider, with the length of the whole. */
        IdentityProviderPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["IdentityProvider"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description Through what the users of an organization sign in: an OpenID provider. */
        IdentityProvider: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 4d1f7c52-90ab-4e36-8f0d-7b2c5e9a1d38
             */
            readonly id: string;
            /**
             * @description What people call it.
             * @example Acme Entra
             */
            name: string;
            /**
             * Format: uri
             * @description The `iss` of its tokens, character by character: a URL with https, of one tenant of the provider. It never changes; no two providers of an organization have the same.
             * @example https://login.microsoftonline.com/7c2f6f0e-5f0a-4d0c-9d58-0c6c8a1b2f3d/v2.0
             */
            issuer: string;
            /**
             * @description The values of `aud` of which a token needs one: the ids of the applications that get it.
             * @example [
             *       "0f4e2b9a-6c1d-4b7e-a3f5-8d2c9e0b1a76"
             *     ]
             */
            audiences: string[];
            /**
             * @description By which its tokens may be signed.
             * @example [
             *       "RS256"
             *     ]
             */
            algorithms: ("RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512" | "EdDSA" | (string & {}))[];
            /**
             * @description Domains whose verified mail addresses find the user of a new identity. None: administrators link all.
             * @example [
             *       "acme.example"
             *     ]
             */
            email_domains: string[];
            /**
             * @description Claims that a token must have, each with exactly this text: `{"hd": "acme.example"}`.
             * @example {}
             */
            required_claims: {
                [key: string]: string;
            };
            /**
             * @description `inactive`: nobody signs in through it, and tokens of those who did have ended.
             * @example active
             */
            status: "active" | "inactive" | (string & {});
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string;
        };
        /** @description What a new identity provider is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        IdentityProviderCreate: {
            /**
             * @description What people call it.
             * @example Acme Entra
             */
            name: string;
            /**
             * Format: uri
             * @description The `iss` of its tokens, character by character: a URL with https, of one tenant of the provider. It never changes; no two providers of an organization have the same.
             * @example https://login.microsoftonline.com/7c2f6f0e-5f0a-4d0c-9d58-0c6c8a1b2f3d/v2.0
             */
            issuer: string;
            /**
             * @description The values of `aud` of which a token needs one: the ids of the applications that get it.
             * @example [
             *       "0f4e2b9a-6c1d-4b7e-a3f5-8d2c9e0b1a76"
             *     ]
             */
            audiences: string[];
            /**
             * @description By which its tokens may be signed. Default: `["RS256"]`.
             * @example [
             *       "RS256"
             *     ]
             */
            algorithms?: ("RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512" | "EdDSA")[];
            /**
             * @description Domains whose verified mail addresses find the user of a new identity. None: administrators link all. Default: `[]`.
             * @example [
             *       "acme.example"
             *     ]
             */
            email_domains?: string[];
            /**
             * @description Claims that a token must have, each with exactly this text: `{"hd": "acme.example"}`. Default: `{}`.
             * @example {}
             */
            required_claims?: {
                [key: string]: string;
            };
            /**
             * @description `inactive`: nobody signs in through it, and tokens of those who did have ended. Default: `active`.
             * @example active
             * @enum {string}
             */
            status?: "active" | "inactive";
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 4d1f7c52-90ab-4e36-8f0d-7b2c5e9a1d38
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
        };
        /** @description What to change of a identity provider: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        IdentityProviderPatch: {
            /**
             * @description What people call it.
             * @example Acme Entra
             */
            name?: string;
            /**
             * @description The values of `aud` of which a token needs one: the ids of the applications that get it.
             * @example [
             *       "0f4e2b9a-6c1d-4b7e-a3f5-8d2c9e0b1a76"
             *     ]
             */
            audiences?: string[];
            /**
             * @description By which its tokens may be signed.
             * @example [
             *       "RS256"
             *     ]
             */
            algorithms?: ("RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512" | "EdDSA")[];
            /**
             * @description Domains whose verified mail addresses find the user of a new identity. None: administrators link all.
             * @example [
             *       "acme.example"
             *     ]
             */
            email_domains?: string[];
            /**
             * @description Claims that a token must have, each with exactly this text: `{"hd": "acme.example"}`.
             * @example {}
             */
            required_claims?: {
                [key: string]: string;
            };
            /**
             * @description `inactive`: nobody signs in through it, and tokens of those who did have ended.
             * @example inactive
             * @enum {string}
             */
            status?: "active" | "inactive";
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 4d1f7c52-90ab-4e36-8f0d-7b2c5e9a1d38
             */
            readonly id?: string;
            /**
             * Format: uri
             * @description The `iss` of its tokens, character by character: a URL with https, of one tenant of the provider. It never changes; no two providers of an organization have the same.
             * @example https://login.microsoftonline.com/7c2f6f0e-5f0a-4d0c-9d58-0c6c8a1b2f3d/v2.0
             */
            readonly issuer?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
        };
        /** @description A part of a list, each element a integration, with the length of the whole. */
        IntegrationPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["Integration"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description An app code with a secret: the credentials of a program that calls the API. */
        Integration: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The organization that it acts for; null for the platform. Platform callers must name it, here or in the query.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id: string | null;
            /**
             * @description By which it logs in and sends webhooks; unique in the whole service, and never changes.
             * @example acme-billing
             */
            app_code: string;
            /**
             * @description What people call the integration.
             * @example Acme billing
             */
            display_name: string;
            /**
             * @description `inactive`: it cannot log in, its tokens have ended, and its webhooks are refused.
             * @example active
             */
            status: "active" | "inactive" | (string & {});
            /**
             * @description Extends the specification: what the integration may do, as codes of `GET /permissions`; null for all of its tenant. A caller gives only what it has itself.
             * @example [
             *       "clients:read",
             *       "tickets:write"
             *     ]
             */
            permissions: string[] | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "team": "billing"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int32
             * @description Extends the specification: requests a minute; null for the standard of the stage. Only a platform caller may set it; an integration made by any other has that of its maker.
             * @example 600
             */
            rate_limit: number | null;
            /**
             * Format: int32
             * @description Extends the specification: how far the `X-Timestamp` of a webhook may be from now; null for what the stage sets. The stricter of the two counts.
             * @example 300
             */
            webhook_tolerance_seconds: number | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string | null;
        };
        /** @description What a new integration is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        IntegrationCreate: {
            /**
             * Format: uuid
             * @description The organization that it acts for; null for the platform. Platform callers must name it, here or in the query.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id?: string | null;
            /**
             * @description By which it logs in and sends webhooks; unique in the whole service, and never changes.
             * @example acme-billing
             */
            app_code: string;
            /**
             * @description What people call the integration.
             * @example Acme billing
             */
            display_name: string;
            /**
             * @description `inactive`: it cannot log in, its tokens have ended, and its webhooks are refused. Default: `active`.
             * @example active
             * @enum {string}
             */
            status?: "active" | "inactive";
            /**
             * @description Extends the specification: what the integration may do, as codes of `GET /permissions`; null for all of its tenant. A caller gives only what it has itself. Default: null.
             * @example [
             *       "clients:read",
             *       "tickets:write"
             *     ]
             */
            permissions?: string[] | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON. Default: null.
             * @example {
             *       "team": "billing"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int32
             * @description Extends the specification: requests a minute; null for the standard of the stage. Only a platform caller may set it; an integration made by any other has that of its maker. Default: null.
             * @example 600
             */
            rate_limit?: number | null;
            /**
             * Format: int32
             * @description Extends the specification: how far the `X-Timestamp` of a webhook may be from now; null for what the stage sets. The stricter of the two counts. Default: null.
             * @example 300
             */
            webhook_tolerance_seconds?: number | null;
            /**
             * Format: password
             * @description Refused when it is easy to guess; better left out, so that the service makes it.
             * @example cst_2c7vXyN0q5b8Jr4kT1mWfZ6hLsPdEoGuAiRxBnYtCvQ
             */
            secret?: string;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
        };
        /** @description A new integration, with the secret that is shown only here. */
        CreatedIntegration: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The organization that it acts for; null for the platform. Platform callers must name it, here or in the query.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id: string | null;
            /**
             * @description By which it logs in and sends webhooks; unique in the whole service, and never changes.
             * @example acme-billing
             */
            app_code: string;
            /**
             * @description What people call the integration.
             * @example Acme billing
             */
            display_name: string;
            /**
             * @description `inactive`: it cannot log in, its tokens have ended, and its webhooks are refused.
             * @example active
             */
            status: "active" | "inactive" | (string & {});
            /**
             * @description Extends the specification: what the integration may do, as codes of `GET /permissions`; null for all of its tenant. A caller gives only what it has itself.
             * @example [
             *       "clients:read",
             *       "tickets:write"
             *     ]
             */
            permissions: string[] | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "team": "billing"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int32
             * @description Extends the specification: requests a minute; null for the standard of the stage. Only a platform caller may set it; an integration made by any other has that of its maker.
             * @example 600
             */
            rate_limit: number | null;
            /**
             * Format: int32
             * @description Extends the specification: how far the `X-Timestamp` of a webhook may be from now; null for what the stage sets. The stricter of the two counts.
             * @example 300
             */
            webhook_tolerance_seconds: number | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string | null;
            /**
             * @description Shown only here; null in a response that is repeated for its `Idempotency-Key`, except to the live token that asked first.
             * @example cst_2c7vXyN0q5b8Jr4kT1mWfZ6hLsPdEoGuAiRxBnYtCvQ
             */
            secret: string | null;
        };
        /** @description What to change of a integration: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        IntegrationPatch: {
            /**
             * @description What people call the integration.
             * @example Acme billing
             */
            display_name?: string;
            /**
             * @description `inactive`: it cannot log in, its tokens have ended, and its webhooks are refused.
             * @example inactive
             * @enum {string}
             */
            status?: "active" | "inactive";
            /**
             * @description Extends the specification: what the integration may do, as codes of `GET /permissions`; null for all of its tenant. A caller gives only what it has itself.
             * @example [
             *       "clients:read",
             *       "tickets:write"
             *     ]
             */
            permissions?: string[] | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "team": "billing"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int32
             * @description Extends the specification: requests a minute; null for the standard of the stage. Only a platform caller may set it; an integration made by any other has that of its maker.
             * @example 600
             */
            rate_limit?: number | null;
            /**
             * Format: int32
             * @description Extends the specification: how far the `X-Timestamp` of a webhook may be from now; null for what the stage sets. The stricter of the two counts.
             * @example 300
             */
            webhook_tolerance_seconds?: number | null;
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description The organization that it acts for; null for the platform. Platform callers must name it, here or in the query.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            readonly org_id?: string | null;
            /**
             * @description By which it logs in and sends webhooks; unique in the whole service, and never changes.
             * @example acme-billing
             */
            readonly app_code?: string;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string | null;
        };
        /** @description An integration after its change, with what the change has ended. */
        UpdatedIntegration: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The organization that it acts for; null for the platform. Platform callers must name it, here or in the query.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id: string | null;
            /**
             * @description By which it logs in and sends webhooks; unique in the whole service, and never changes.
             * @example acme-billing
             */
            app_code: string;
            /**
             * @description What people call the integration.
             * @example Acme billing
             */
            display_name: string;
            /**
             * @description `inactive`: it cannot log in, its tokens have ended, and its webhooks are refused.
             * @example inactive
             */
            status: "active" | "inactive" | (string & {});
            /**
             * @description Extends the specification: what the integration may do, as codes of `GET /permissions`; null for all of its tenant. A caller gives only what it has itself.
             * @example [
             *       "clients:read",
             *       "tickets:write"
             *     ]
             */
            permissions: string[] | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "team": "billing"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int32
             * @description Extends the specification: requests a minute; null for the standard of the stage. Only a platform caller may set it; an integration made by any other has that of its maker.
             * @example 600
             */
            rate_limit: number | null;
            /**
             * Format: int32
             * @description Extends the specification: how far the `X-Timestamp` of a webhook may be from now; null for what the stage sets. The stricter of the two counts.
             * @example 300
             */
            webhook_tolerance_seconds: number | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string | null;
            /**
             * Format: int32
             * @description How many secrets have ended, because they were set or seen with fewer permissions. Absent where none has.
             * @example 1
             */
            ended_secrets?: number;
            /**
             * @description The new secret, where the newest one has ended. Shown only here: if it is lost, rotate the secret.
             * @example cst_2c7vXyN0q5b8Jr4kT1mWfZ6hLsPdEoGuAiRxBnYtCvQ
             */
            secret?: string;
            /**
             * @description Webhook endpoints that are paused until a live key confirms them: its own, and those of others that its key confirmed last.
             * @example [
             *       "c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e"
             *     ]
             */
            paused_endpoints?: string[];
        };
        /** @description How to replace a secret; the empty object `{}` will do. */
        SecretRotation: {
            /**
             * Format: password
             * @description The new secret, refused when it is easy to guess; better left out, so that the service makes it.
             * @example cst_Vb3mQ0sYt7LrXe9KpJwZ1hNfUc5GdAi8oT2yRkB6xSE
             */
            secret?: string;
            /**
             * Format: int32
             * @description Seconds for which the secret before stays valid; 0 when it may have leaked. Default: `86400`.
             * @example 86400
             */
            previous_valid_for?: number;
        };
        /** @description An integration with its new secret, which is shown only here. */
        RotatedIntegration: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The organization that it acts for; null for the platform. Platform callers must name it, here or in the query.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id: string | null;
            /**
             * @description By which it logs in and sends webhooks; unique in the whole service, and never changes.
             * @example acme-billing
             */
            app_code: string;
            /**
             * @description What people call the integration.
             * @example Acme billing
             */
            display_name: string;
            /**
             * @description `inactive`: it cannot log in, its tokens have ended, and its webhooks are refused.
             * @example active
             */
            status: "active" | "inactive" | (string & {});
            /**
             * @description Extends the specification: what the integration may do, as codes of `GET /permissions`; null for all of its tenant. A caller gives only what it has itself.
             * @example [
             *       "clients:read",
             *       "tickets:write"
             *     ]
             */
            permissions: string[] | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "team": "billing"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int32
             * @description Extends the specification: requests a minute; null for the standard of the stage. Only a platform caller may set it; an integration made by any other has that of its maker.
             * @example 600
             */
            rate_limit: number | null;
            /**
             * Format: int32
             * @description Extends the specification: how far the `X-Timestamp` of a webhook may be from now; null for what the stage sets. The stricter of the two counts.
             * @example 300
             */
            webhook_tolerance_seconds: number | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string | null;
            /**
             * @description Shown only here; null in a response that is repeated for its `Idempotency-Key`, except to the live token that asked first.
             * @example cst_Vb3mQ0sYt7LrXe9KpJwZ1hNfUc5GdAi8oT2yRkB6xSE
             */
            secret: string | null;
            /**
             * Format: date-time
             * @description Until when the secret before is valid; null when it has ended.
             * @example 2026-11-21T09:30:00.000Z
             */
            previous_expires_at: string | null;
            /**
             * @description Webhook endpoints that are paused until a live key confirms them: its own, and those of others that its key confirmed last.
             * @example []
             */
            paused_endpoints: string[];
        };
        /** @description An integration whose tokens have ended. */
        CutOffIntegration: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description The organization that it acts for; null for the platform. Platform callers must name it, here or in the query.
             * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
             */
            org_id: string | null;
            /**
             * @description By which it logs in and sends webhooks; unique in the whole service, and never changes.
             * @example acme-billing
             */
            app_code: string;
            /**
             * @description What people call the integration.
             * @example Acme billing
             */
            display_name: string;
            /**
             * @description `inactive`: it cannot log in, its tokens have ended, and its webhooks are refused.
             * @example active
             */
            status: "active" | "inactive" | (string & {});
            /**
             * @description Extends the specification: what the integration may do, as codes of `GET /permissions`; null for all of its tenant. A caller gives only what it has itself.
             * @example [
             *       "clients:read",
             *       "tickets:write"
             *     ]
             */
            permissions: string[] | null;
            /**
             * @description Whatever you keep with the record; it is stored as sent. At most 64 KB as JSON.
             * @example {
             *       "team": "billing"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int32
             * @description Extends the specification: requests a minute; null for the standard of the stage. Only a platform caller may set it; an integration made by any other has that of its maker.
             * @example 600
             */
            rate_limit: number | null;
            /**
             * Format: int32
             * @description Extends the specification: how far the `X-Timestamp` of a webhook may be from now; null for what the stage sets. The stricter of the two counts.
             * @example 300
             */
            webhook_tolerance_seconds: number | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string | null;
            /**
             * @description Webhook endpoints that are paused until a live key confirms them: its own, and those of others that its key confirmed last.
             * @example [
             *       "c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e"
             *     ]
             */
            paused_endpoints: string[];
        };
        /** @description Who the caller is, what it may do, and for how long. */
        Me: {
            /** @description Who calls; null for a user. */
            integration: {
                /**
                 * Format: uuid
                 * @description Names the record of the caller.
                 * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
                 */
                id: string;
                /**
                 * @description As it logged in with its secret.
                 * @example acme-billing
                 */
                app_code: string;
                /**
                 * @description What people call it.
                 * @example Acme billing
                 */
                display_name: string;
            } | null;
            /** @description Who calls; null for an integration. */
            user: {
                /**
                 * Format: uuid
                 * @description Names the record of the caller.
                 * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
                 */
                id: string;
                /**
                 * @description What people call it.
                 * @example Ada Byron
                 */
                name: string | null;
                /**
                 * @description Its address.
                 * @example ada@acme.example
                 */
                email: string;
                /**
                 * Format: uuid
                 * @description Names the identity provider through which it signed in.
                 * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
                 */
                identity_provider_id: string;
                /** @description The clients for whom it may do more than in the whole organization. */
                clients: components["schemas"]["MyClient"][];
            } | null;
            /** @description For whom it calls; null for the platform. */
            organization: {
                /**
                 * Format: uuid
                 * @description Names the tenant that it acts for.
                 * @example 6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d
                 */
                id: string;
                /**
                 * @description What people call the organization.
                 * @example Acme Lda
                 */
                name: string;
                /**
                 * @description Its short name.
                 * @example acme-lda
                 */
                slug: string;
            } | null;
            /**
             * @description The permissions that the caller has in its whole tenant and its scope; null for all.
             * @example [
             *       "clients:read",
             *       "tickets:write"
             *     ]
             */
            permissions: string[] | null;
            /**
             * @description Every permission that it has, in order: all for null, and a permission to read with the one to write.
             * @example [
             *       "clients:read",
             *       "tickets:read",
             *       "tickets:write"
             *     ]
             */
            effective_permissions: string[];
            /** @description The request budgets that each of its requests is charged to. */
            limits: components["schemas"]["RequestLimit"][];
            /** @description For how long this caller is logged in. */
            token: {
                /**
                 * Format: date-time
                 * @description When it was made.
                 * @example 2026-11-20T09:30:00.000Z
                 */
                issued_at: string;
                /**
                 * Format: date-time
                 * @description When it ends, if it is not ended before: log in again by then.
                 * @example 2026-11-20T10:30:00.000Z
                 */
                expires_at: string;
            };
        };
        /** @description What a user may do for one client. */
        MyClient: {
            /**
             * Format: uuid
             * @description Names the client.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            client_id: string;
            /**
             * @description What the user may do for this client.
             * @example [
             *       "tickets:read"
             *     ]
             */
            permissions: string[];
        };
        /** @description What is left of a request budget. Every response reports the lowest one. */
        RequestLimit: {
            /**
             * @description `default`: the caller’s own. `tenant`: that of all callers of its organization together.
             * @example default
             */
            policy: "default" | "tenant" | (string & {});
            /**
             * Format: int32
             * @description How many requests it admits in a minute.
             * @example 600
             */
            limit: number;
            /**
             * Format: int32
             * @description Requests left now, as in the header `RateLimit`.
             * @example 587
             */
            remaining: number;
            /**
             * Format: int32
             * @description Seconds until all of them are there again, if no more are sent.
             * @example 2
             */
            reset: number;
        };
        /** @description What an organization has stored, how much it has called, and what was delivered to it. */
        Usage: {
            /** @description The records that there are, by type and in order of its name. Records below others, such as the messages of a ticket, are not counted. */
            records: components["schemas"]["RecordCount"][];
            /** @description How much the attachments of the organization take. */
            attachments: {
                /**
                 * Format: int64
                 * @description How many bytes all attachments of tickets have, with announced ones.
                 * @example 1048576
                 */
                bytes: number;
                /**
                 * Format: int64
                 * @description How many they may have.
                 * @example 10737418240
                 */
                limit: number;
            };
            /** @description By integration, in order of their ids; those without requests in these days are left out. */
            requests: components["schemas"]["IntegrationRequests"][];
            /** @description The days on which deliveries, replays or retries were charged, the oldest first. No request budget pays for them. */
            deliveries: components["schemas"]["DeliveriesOfDay"][];
        };
        /** @description How many records of a type there are. */
        RecordCount: {
            /**
             * @description Name of the record in this document: `Client`.
             * @example Client
             */
            record_type: string;
            /**
             * Format: int64
             * @description How many there are, exactly: the `total` of their list.
             * @example 120
             */
            total: number;
        };
        /** @description How much an integration has called, day by day. */
        IntegrationRequests: {
            /**
             * Format: uuid
             * @description Which integration sent them.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            integration_id: string;
            /** @description The days with requests, the oldest first. */
            days: components["schemas"]["RequestsOfDay"][];
        };
        /** @description How much an integration has called on one day. */
        RequestsOfDay: {
            /**
             * Format: date
             * @description When they were sent, by the clock of the service in UTC.
             * @example 2026-11-19
             */
            date: string;
            /**
             * Format: int64
             * @description How many requests were served or refused, approximately.
             * @example 20
             */
            requests: number;
        };
        /** @description What deliveries to webhook endpoints took on one day. */
        DeliveriesOfDay: {
            /**
             * Format: date
             * @description When they were charged, by the clock of the service in UTC.
             * @example 2026-11-20
             */
            date: string;
            /**
             * Format: int64
             * @description What they took, in requests: 1 for each 100 units of the table and each 256 KB sent.
             * @example 57
             */
            charged: number;
        };
        /** @description What happened, up to a cursor. */
        EventPage: {
            /** @description The events, in the order in which they happened. There may be none although there are `more`. */
            data: components["schemas"]["Event"][];
            /**
             * @description The cursor to go on from: the next request’s `after`. It is kept for 30 days.
             * @example AT-cGrQtcAAAAAAHKqXzty8FPQpDTplu
             */
            next: string;
            /**
             * @description Whether there is more to read at once. Otherwise ask again after a while.
             * @example false
             */
            more: boolean;
        };
        /** @description That a record was created, changed or deleted. No event carries a value of a field. */
        Event: {
            /**
             * Format: uuid
             * @description Names the event. It comes again with the same id.
             * @example 7df59570-303b-4c3e-b7a9-1d5f8e2c6b40
             */
            id: string;
            /**
             * @description What happened: the kind of record, and `created`, `updated` or `deleted`.
             * @example ticket.updated
             */
            type: string;
            /**
             * Format: date-time
             * @description When, by the clock of the service. Events are not in the order of these times.
             * @example 2026-11-20T09:30:00.000Z
             */
            occurred_at: string;
            /**
             * @description Name of the record in this document.
             * @example Ticket
             */
            record_type: string;
            /**
             * Format: uuid
             * @description Which record of that type it happened to.
             * @example 1690c4dc-6f18-4b6d-a3f2-7c9e0d4b5a18
             */
            record_id: string;
            /**
             * Format: uuid
             * @description Of a record below another, the id of that other: the ticket of a message. Null for others.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            parent_id: string | null;
            /**
             * Format: int64
             * @description That of the record after the change, with which its `ETag` begins; of a deletion one more than it had. It has holes.
             * @example 3
             */
            version: number;
            /**
             * @description Names of the fields that an update changed; null where they are too many, and for other events.
             * @example [
             *       "last_activity_at",
             *       "status",
             *       "updated_at"
             *     ]
             */
            changed_fields: string[] | null;
            /**
             * Format: uuid
             * @description Id of the integration or user that did it; null for others, such as the operator.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            actor_id: string | null;
            /**
             * @description `X-Request-Id` of the request that did it; null where there was no request.
             * @example b4c8f0e2-6a1d-4f39-8e57-2d90c3a7b615
             */
            request_id: string | null;
            /**
             * @description Only in a ping to an `unverified` endpoint: the body of the response is to be its HMAC-SHA256 under the secret as it was shown, in lower-case hexadecimal digits.
             * @example Hf3mQ0sYt7LrXe9KpJwZ1hNfUc5GdAi8oT2yRkB6xSE
             */
            challenge?: string;
            /**
             * @description With `expand=record`, the record as it is now, but never with `credentials`; null where it does not exist any more.
             * @example {
             *       "id": "1690c4dc-6f18-4b6d-a3f2-7c9e0d4b5a18",
             *       "subject": "No sound",
             *       "status": "closed"
             *     }
             */
            record?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description An event, of this API or of your own kind. */
        WebhookDelivery: {
            /**
             * @description What happened to what: `<entity>.<verb>`, such as `client.created`.
             * @example client.created
             */
            event_type: string;
            /**
             * @description What the operation of that type takes, with the id of its path; of other types whatever you send.
             * @example {
             *       "name": "Acme Lda"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
        };
        /** @description Tells the sender that its event was processed. */
        WebhookReceipt: {
            /**
             * @description That the event has been taken in: always true.
             * @example true
             */
            received: boolean;
            /**
             * @description App code of the integration that sent it.
             * @example acme-billing
             */
            app: string;
            /**
             * Format: date-time
             * @description When it was received, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            timestamp: string;
            /**
             * @description Extends the specification: where no operation has the event type, so that it had no effect.
             * @example stored
             */
            outcome?: "stored" | (string & {});
            /**
             * @description Extends the specification: where the event had no effect, says why.
             * @example No operation of this API has this event type, so the event changed nothing.
             */
            reason?: string;
        };
        /** @description A part of a list, each element a webhook event summary, with the length of the whole. */
        WebhookEventSummaryPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["WebhookEventSummary"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description What a list shows of a received event. */
        WebhookEventSummary: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 029eb7db-8f29-4f1b-a0c4-6d2e8b7f5a13
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description Whose secret signed it, by its id.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly integration_id: string;
            /**
             * @description Under which app code it was delivered.
             * @example acme-billing
             */
            readonly app_code: string;
            /**
             * @description How its sender names the event: `X-Event-ID`.
             * @example evt_8Yd2
             */
            readonly event_id: string;
            /**
             * @description What happened to what: `<entity>.<verb>`.
             * @example client.created
             */
            readonly event_type: string;
            /**
             * Format: date-time
             * @description When it happened, as its sender says in `X-Timestamp`; null where that was left out.
             * @example 2026-11-20T09:29:58.000Z
             */
            readonly occurred_at: string | null;
            /**
             * Format: date-time
             * @description When it came in, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly received_at: string;
            /**
             * @description `applied`: it did what the operation of its type does. `stored`: this service knows no operation for its type.
             * @example applied
             */
            readonly outcome: "applied" | "stored" | (string & {});
            /**
             * @description Which operation it did, by its id in this document; null where none.
             * @example createClient
             */
            readonly operation: string | null;
            /**
             * @description Which record was created or changed by it; null where none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly record_id: string | null;
            /**
             * @description SHA-256 of the body as compact JSON, in hex.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            readonly body_sha256: string;
        };
        /** @description An event that an integration has sent. */
        WebhookEvent: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 029eb7db-8f29-4f1b-a0c4-6d2e8b7f5a13
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description Whose secret signed it, by its id.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly integration_id: string;
            /**
             * @description Under which app code it was delivered.
             * @example acme-billing
             */
            readonly app_code: string;
            /**
             * @description How its sender names the event: `X-Event-ID`.
             * @example evt_8Yd2
             */
            readonly event_id: string;
            /**
             * @description What happened to what: `<entity>.<verb>`.
             * @example client.created
             */
            readonly event_type: string;
            /**
             * Format: date-time
             * @description When it happened, as its sender says in `X-Timestamp`; null where that was left out.
             * @example 2026-11-20T09:29:58.000Z
             */
            readonly occurred_at: string | null;
            /**
             * Format: date-time
             * @description When it came in, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly received_at: string;
            /**
             * @description `applied`: it did what the operation of its type does. `stored`: this service knows no operation for its type.
             * @example applied
             */
            readonly outcome: "applied" | "stored" | (string & {});
            /**
             * @description Which operation it did, by its id in this document; null where none.
             * @example createClient
             */
            readonly operation: string | null;
            /**
             * @description Which record was created or changed by it; null where none.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly record_id: string | null;
            /**
             * @description SHA-256 of the body as compact JSON, in hex.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            readonly body_sha256: string;
            /**
             * @description As the sender sent it; null where it was too long to be kept, or where the caller may not see such records.
             * @example {
             *       "name": "Acme Lda",
             *       "id": 4711
             *     }
             */
            readonly data: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Members of `data` that the operation does not take. The first 50, each to its first 100 characters.
             * @example [
             *       "id"
             *     ]
             */
            readonly ignored_fields: string[];
        };
        /** @description A part of a list, each element a webhook endpoint, with the length of the whole. */
        WebhookEndpointPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["WebhookEndpoint"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description An address of yours to which the service sends events as they happen. */
        WebhookEndpoint: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description Whose permissions decide at each delivery which events it gets. The caller unless given; a platform caller must name one of the organization.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            integration_id: string;
            /**
             * @description By which that integration logs in; it never changes.
             * @example acme-billing
             */
            readonly app_code: string;
            /**
             * Format: uri
             * @description Where events are sent: https, at a public address, without user name and password. Redirects are not followed. Path and query are shown only to who has `webhook-endpoints:write`.
             * @example https://hooks.acme.example/custodia
             */
            url: string;
            /**
             * @description Which events it gets, such as `ticket.updated`; null for all that the integration may read.
             * @example [
             *       "ticket.created",
             *       "ticket.updated"
             *     ]
             */
            event_types: string[] | null;
            /**
             * @description What it is for, for people.
             * @example Tickets for the billing system
             */
            description: string | null;
            /**
             * Format: int32
             * @description Most events of a delivery; with more than 1 those that wait come as a batch.
             * @example 1
             */
            batch_size: number;
            /**
             * @description `event`: what happened, without values. `record`: also the record as it is at the delivery.
             * @example event
             */
            payload: "event" | "record" | (string & {});
            /**
             * @description `unverified` until its receiver answers a ping; `active`; `paused` by a request, or until a caller confirms it; `disabled` after five days of failures or a 410; `expired` where the next event is kept no more.
             * @example active
             */
            readonly status: "active" | "unverified" | "paused" | "disabled" | "expired" | (string & {});
            /**
             * @description Why it is not active; null while it is. `confirmer_cut_off` is about the integration whose key confirmed it last.
             * @example ping_pending
             */
            readonly status_reason: "ping_pending" | "ping_failed" | "ping_answer_wrong" | "not_pinged" | "requested" | "tokens_ended" | "more_permissions" | "integration_inactive" | "confirmer_cut_off" | "failing" | "gone" | "cursor_expired" | (string & {}) | null;
            /**
             * @description Cursor of `GET /events` after the last event that it received.
             * @example AQyq5P8tHkc7mAAAAAAAAJ4rXo2Qv1Zb
             */
            readonly delivered_through: string | null;
            /**
             * Format: int64
             * @description How many events of any type are kept after that cursor; null where it has expired.
             * @example 0
             */
            readonly backlog: number | null;
            /**
             * Format: date-time
             * @description Since when all deliveries fail; null where the last one did not.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly failing_since: string | null;
            /**
             * Format: date-time
             * @description No call before: the last one failed, the delivery budget is spent, or a replay waits for its turn.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly waits_until: string | null;
            /**
             * Format: date-time
             * @description When it last accepted a delivery.
             * @example 2026-11-20T09:41:12.000Z
             */
            readonly last_success_at: string | null;
            /**
             * Format: date-time
             * @description When a replay last moved that cursor; null where none has.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly replayed_at: string | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string;
        };
        /** @description What a new webhook endpoint is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        WebhookEndpointCreate: {
            /**
             * Format: uuid
             * @description Whose permissions decide at each delivery which events it gets. The caller unless given; a platform caller must name one of the organization.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            integration_id?: string;
            /**
             * Format: uri
             * @description Where events are sent: https, at a public address, without user name and password. Redirects are not followed. Path and query are shown only to who has `webhook-endpoints:write`.
             * @example https://hooks.acme.example/custodia
             */
            url: string;
            /**
             * @description Which events it gets, such as `ticket.updated`; null for all that the integration may read. Default: null.
             * @example [
             *       "ticket.created",
             *       "ticket.updated"
             *     ]
             */
            event_types?: string[] | null;
            /**
             * @description What it is for, for people. Default: null.
             * @example Tickets for the billing system
             */
            description?: string | null;
            /**
             * Format: int32
             * @description Most events of a delivery; with more than 1 those that wait come as a batch. Default: `1`.
             * @example 1
             */
            batch_size?: number;
            /**
             * @description `event`: what happened, without values. `record`: also the record as it is at the delivery. Default: `event`.
             * @example event
             * @enum {string}
             */
            payload?: "event" | "record";
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e
             */
            readonly id?: string;
            /**
             * @description By which that integration logs in; it never changes.
             * @example acme-billing
             */
            readonly app_code?: string;
            /**
             * @description `unverified` until its receiver answers a ping; `active`; `paused` by a request, or until a caller confirms it; `disabled` after five days of failures or a 410; `expired` where the next event is kept no more.
             * @example unverified
             * @enum {string}
             */
            readonly status?: "active" | "unverified" | "paused" | "disabled" | "expired";
            /**
             * @description Why it is not active; null while it is. `confirmer_cut_off` is about the integration whose key confirmed it last.
             * @example ping_pending
             * @enum {string|null}
             */
            readonly status_reason?: "ping_pending" | "ping_failed" | "ping_answer_wrong" | "not_pinged" | "requested" | "tokens_ended" | "more_permissions" | "integration_inactive" | "confirmer_cut_off" | "failing" | "gone" | "cursor_expired" | null;
            /**
             * @description Cursor of `GET /events` after the last event that it received.
             * @example AQyq5P8tHkc7mAAAAAAAAJ4rXo2Qv1Zb
             */
            readonly delivered_through?: string | null;
            /**
             * Format: int64
             * @description How many events of any type are kept after that cursor; null where it has expired.
             * @example 0
             */
            readonly backlog?: number | null;
            /**
             * Format: date-time
             * @description Since when all deliveries fail; null where the last one did not.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly failing_since?: string | null;
            /**
             * Format: date-time
             * @description No call before: the last one failed, the delivery budget is spent, or a replay waits for its turn.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly waits_until?: string | null;
            /**
             * Format: date-time
             * @description When it last accepted a delivery.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_success_at?: string | null;
            /**
             * Format: date-time
             * @description When a replay last moved that cursor; null where none has.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly replayed_at?: string | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
        };
        /** @description A new endpoint, with the secret that is shown only here. */
        CreatedWebhookEndpoint: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description Whose permissions decide at each delivery which events it gets. The caller unless given; a platform caller must name one of the organization.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            integration_id: string;
            /**
             * @description By which that integration logs in; it never changes.
             * @example acme-billing
             */
            readonly app_code: string;
            /**
             * Format: uri
             * @description Where events are sent: https, at a public address, without user name and password. Redirects are not followed. Path and query are shown only to who has `webhook-endpoints:write`.
             * @example https://hooks.acme.example/custodia
             */
            url: string;
            /**
             * @description Which events it gets, such as `ticket.updated`; null for all that the integration may read.
             * @example [
             *       "ticket.created",
             *       "ticket.updated"
             *     ]
             */
            event_types: string[] | null;
            /**
             * @description What it is for, for people.
             * @example Tickets for the billing system
             */
            description: string | null;
            /**
             * Format: int32
             * @description Most events of a delivery; with more than 1 those that wait come as a batch.
             * @example 1
             */
            batch_size: number;
            /**
             * @description `event`: what happened, without values. `record`: also the record as it is at the delivery.
             * @example event
             */
            payload: "event" | "record" | (string & {});
            /**
             * @description `unverified` until its receiver answers a ping; `active`; `paused` by a request, or until a caller confirms it; `disabled` after five days of failures or a 410; `expired` where the next event is kept no more.
             * @example unverified
             */
            readonly status: "active" | "unverified" | "paused" | "disabled" | "expired" | (string & {});
            /**
             * @description Why it is not active; null while it is. `confirmer_cut_off` is about the integration whose key confirmed it last.
             * @example ping_pending
             */
            readonly status_reason: "ping_pending" | "ping_failed" | "ping_answer_wrong" | "not_pinged" | "requested" | "tokens_ended" | "more_permissions" | "integration_inactive" | "confirmer_cut_off" | "failing" | "gone" | "cursor_expired" | (string & {}) | null;
            /**
             * @description Cursor of `GET /events` after the last event that it received.
             * @example AQyq5P8tHkc7mAAAAAAAAJ4rXo2Qv1Zb
             */
            readonly delivered_through: string | null;
            /**
             * Format: int64
             * @description How many events of any type are kept after that cursor; null where it has expired.
             * @example 0
             */
            readonly backlog: number | null;
            /**
             * Format: date-time
             * @description Since when all deliveries fail; null where the last one did not.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly failing_since: string | null;
            /**
             * Format: date-time
             * @description No call before: the last one failed, the delivery budget is spent, or a replay waits for its turn.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly waits_until: string | null;
            /**
             * Format: date-time
             * @description When it last accepted a delivery.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_success_at: string | null;
            /**
             * Format: date-time
             * @description When a replay last moved that cursor; null where none has.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly replayed_at: string | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string;
            /**
             * @description By which deliveries are signed. Shown only here; null in a response that is repeated for its `Idempotency-Key`, except to the live token that asked first.
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDAAAAAAAAAAA=
             */
            secret: string | null;
        };
        /** @description What to change of a webhook endpoint: fields that are left out stay as they are. Read-only fields are left out, or as they were read. */
        WebhookEndpointPatch: {
            /**
             * Format: uri
             * @description Where events are sent: https, at a public address, without user name and password. Redirects are not followed. Path and query are shown only to who has `webhook-endpoints:write`.
             * @example https://hooks.acme.example/v2/custodia
             */
            url?: string;
            /**
             * @description Which events it gets, such as `ticket.updated`; null for all that the integration may read.
             * @example [
             *       "ticket.created",
             *       "ticket.updated"
             *     ]
             */
            event_types?: string[] | null;
            /**
             * @description What it is for, for people.
             * @example Tickets for the billing system
             */
            description?: string | null;
            /**
             * Format: int32
             * @description Most events of a delivery; with more than 1 those that wait come as a batch.
             * @example 1
             */
            batch_size?: number;
            /**
             * @description `event`: what happened, without values. `record`: also the record as it is at the delivery.
             * @example event
             * @enum {string}
             */
            payload?: "event" | "record";
            /**
             * @description `active` confirms what the integration may do now. Other values than the two must be the one that it has.
             * @example paused
             * @enum {string}
             */
            status?: "active" | "paused";
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description Whose permissions decide at each delivery which events it gets. The caller unless given; a platform caller must name one of the organization.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly integration_id?: string;
            /**
             * @description By which that integration logs in; it never changes.
             * @example acme-billing
             */
            readonly app_code?: string;
            /**
             * @description Why it is not active; null while it is. `confirmer_cut_off` is about the integration whose key confirmed it last.
             * @example ping_pending
             * @enum {string|null}
             */
            readonly status_reason?: "ping_pending" | "ping_failed" | "ping_answer_wrong" | "not_pinged" | "requested" | "tokens_ended" | "more_permissions" | "integration_inactive" | "confirmer_cut_off" | "failing" | "gone" | "cursor_expired" | null;
            /**
             * @description Cursor of `GET /events` after the last event that it received.
             * @example AQyq5P8tHkc7mAAAAAAAAJ4rXo2Qv1Zb
             */
            readonly delivered_through?: string | null;
            /**
             * Format: int64
             * @description How many events of any type are kept after that cursor; null where it has expired.
             * @example 0
             */
            readonly backlog?: number | null;
            /**
             * Format: date-time
             * @description Since when all deliveries fail; null where the last one did not.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly failing_since?: string | null;
            /**
             * Format: date-time
             * @description No call before: the last one failed, the delivery budget is spent, or a replay waits for its turn.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly waits_until?: string | null;
            /**
             * Format: date-time
             * @description When it last accepted a delivery.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly last_success_at?: string | null;
            /**
             * Format: date-time
             * @description When a replay last moved that cursor; null where none has.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly replayed_at?: string | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at?: string;
        };
        /** @description How to replace the secret of an endpoint; the empty object `{}` will do. */
        WebhookSecretRotation: {
            /**
             * Format: int32
             * @description How long deliveries are signed with the secret before as well, in seconds; 0 when it may have leaked. Default: `86400`.
             * @example 86400
             */
            previous_valid_for?: number;
        };
        /** @description An endpoint with its new secret, which is shown only here. */
        RotatedWebhookEndpoint: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e
             */
            readonly id: string;
            /**
             * Format: uuid
             * @description Whose permissions decide at each delivery which events it gets. The caller unless given; a platform caller must name one of the organization.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            integration_id: string;
            /**
             * @description By which that integration logs in; it never changes.
             * @example acme-billing
             */
            readonly app_code: string;
            /**
             * Format: uri
             * @description Where events are sent: https, at a public address, without user name and password. Redirects are not followed. Path and query are shown only to who has `webhook-endpoints:write`.
             * @example https://hooks.acme.example/custodia
             */
            url: string;
            /**
             * @description Which events it gets, such as `ticket.updated`; null for all that the integration may read.
             * @example [
             *       "ticket.created",
             *       "ticket.updated"
             *     ]
             */
            event_types: string[] | null;
            /**
             * @description What it is for, for people.
             * @example Tickets for the billing system
             */
            description: string | null;
            /**
             * Format: int32
             * @description Most events of a delivery; with more than 1 those that wait come as a batch.
             * @example 1
             */
            batch_size: number;
            /**
             * @description `event`: what happened, without values. `record`: also the record as it is at the delivery.
             * @example event
             */
            payload: "event" | "record" | (string & {});
            /**
             * @description `unverified` until its receiver answers a ping; `active`; `paused` by a request, or until a caller confirms it; `disabled` after five days of failures or a 410; `expired` where the next event is kept no more.
             * @example active
             */
            readonly status: "active" | "unverified" | "paused" | "disabled" | "expired" | (string & {});
            /**
             * @description Why it is not active; null while it is. `confirmer_cut_off` is about the integration whose key confirmed it last.
             * @example more_permissions
             */
            readonly status_reason: "ping_pending" | "ping_failed" | "ping_answer_wrong" | "not_pinged" | "requested" | "tokens_ended" | "more_permissions" | "integration_inactive" | "confirmer_cut_off" | "failing" | "gone" | "cursor_expired" | (string & {}) | null;
            /**
             * @description Cursor of `GET /events` after the last event that it received.
             * @example AQyq5P8tHkc7mAAAAAAAAJ4rXo2Qv1Zb
             */
            readonly delivered_through: string | null;
            /**
             * Format: int64
             * @description How many events of any type are kept after that cursor; null where it has expired.
             * @example 0
             */
            readonly backlog: number | null;
            /**
             * Format: date-time
             * @description Since when all deliveries fail; null where the last one did not.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly failing_since: string | null;
            /**
             * Format: date-time
             * @description No call before: the last one failed, the delivery budget is spent, or a replay waits for its turn.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly waits_until: string | null;
            /**
             * Format: date-time
             * @description When it last accepted a delivery.
             * @example 2026-11-20T09:41:12.000Z
             */
            readonly last_success_at: string | null;
            /**
             * Format: date-time
             * @description When a replay last moved that cursor; null where none has.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly replayed_at: string | null;
            /**
             * Format: date-time
             * @description When the record was created, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly created_at: string;
            /**
             * @description By which deliveries are signed. Shown only here; null in a response that is repeated for its `Idempotency-Key`, except to the live token that asked first.
             * @example whsec_nT0nXJqzOZbQ3f0rWc8mYb1uHk5dLs7pAAAAAAAAAAA=
             */
            secret: string | null;
            /**
             * Format: date-time
             * @description Until when deliveries have a signature with the secret before as well; null: no more.
             * @example 2026-11-21T09:30:00.000Z
             */
            previous_expires_at: string | null;
        };
        /** @description Shows that somebody sees what an endpoint receives. */
        WebhookVerification: {
            /**
             * @description The `challenge` in the last ping that the receiver got.
             * @example Hf3mQ0sYt7LrXe9KpJwZ1hNfUc5GdAi8oT2yRkB6xSE
             */
            code: string;
        };
        /** @description From where an endpoint goes on. */
        WebhookReplay: {
            /**
             * @description From where to deliver: a cursor of `GET /events` or of `delivered_through`, `oldest` for all events that are kept, or `latest` for none of them.
             * @example oldest
             */
            from: string;
        };
        /** @description A part of a list, each element a delivery attempt, with the length of the whole. */
        DeliveryAttemptPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["DeliveryAttempt"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description A call to an endpoint that did not take the events. */
        DeliveryAttempt: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 5e1c7a90-3d42-4b8f-a6c1-2f9d8e7b6a54
             */
            readonly id: string;
            /**
             * Format: date-time
             * @description When the call began, by the clock of the service.
             * @example 2026-11-20T09:40:07.000Z
             */
            readonly attempted_at: string;
            /**
             * Format: int32
             * @description HTTP status of the response; null where there was none.
             * @example 503
             */
            readonly status_code: number | null;
            /**
             * @description Why there was no response: `timeout`, `tls` …
             * @example timeout
             */
            readonly error: string | null;
            /**
             * Format: int32
             * @description How many events were sent together.
             * @example 1
             */
            readonly events: number;
            /**
             * Format: uuid
             * @description Which event was the first of them.
             * @example 0d9f8e7c-6b5a-4c3d-8e2f-1a0b9c8d7e6f
             */
            readonly first_event_id: string;
            /**
             * Format: int64
             * @description How long the call took, in milliseconds.
             * @example 412
             */
            readonly duration_ms: number;
            /**
             * @description Whether the event was given up: refused five times, and not sent again.
             * @example false
             */
            readonly skipped: boolean;
        };
        /** @description A part of a list, each element a log entry, with the length of the whole. */
        LogEntryPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["LogEntry"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description What a system of the organization reported. */
        LogEntry: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 0a2fa71e-c6f6-4e1a-b4c2-9d8e7f6a5b4c
             */
            readonly id: string;
            /**
             * @description How serious it is, from `debug` to `error`.
             * @example warn
             */
            level: "info" | "warn" | "error" | "debug" | (string & {});
            /**
             * @description What happened, in words.
             * @example The disk is nearly full
             */
            message: string;
            /**
             * @description Facts about what happened, for programs. At most 64 KB as JSON.
             * @example {
             *       "host": "db-1",
             *       "used": 0.93
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description Extends the specification: which integration reported it; null of entries that are older than this field.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly integration_id: string | null;
            /**
             * Format: date-time
             * @description When the entry was taken in, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly ts: string;
        };
        /** @description What a new log entry is made from: only what is required has to be there. Read-only fields are left out, or as they were read. */
        LogEntryCreate: {
            /**
             * @description How serious it is, from `debug` to `error`. Required without `entries`.
             * @example warn
             * @enum {string}
             */
            level?: "info" | "warn" | "error" | "debug";
            /**
             * @description What happened, in words. Required without `entries`.
             * @example The disk is nearly full
             */
            message?: string;
            /**
             * @description Facts about what happened, for programs. At most 64 KB as JSON.
             * @example {
             *       "host": "db-1",
             *       "used": 0.93
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * @description Extends the specification: several entries instead of one. All of them are stored, or none.
             * @example [
             *       {
             *         "level": "warn",
             *         "message": "The disk is nearly full",
             *         "metadata": {
             *           "host": "db-1",
             *           "used": 0.93
             *         }
             *       }
             *     ]
             */
            entries?: {
                /**
                 * @description How serious it is, from `debug` to `error`.
                 * @enum {string}
                 */
                level: "info" | "warn" | "error" | "debug";
                /** @description What happened, in words. */
                message: string;
                /** @description Facts about what happened, for programs. At most 64 KB as JSON. Default: `{}`. */
                metadata?: {
                    [key: string]: unknown;
                };
            }[];
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 0a2fa71e-c6f6-4e1a-b4c2-9d8e7f6a5b4c
             */
            readonly id?: string;
            /**
             * Format: uuid
             * @description Extends the specification: which integration reported it; null of entries that are older than this field.
             * @example 1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04
             */
            readonly integration_id?: string | null;
            /**
             * Format: date-time
             * @description When the entry was taken in, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly ts?: string;
        };
        /** @description Tells that entries were taken in. */
        LogReceipt: {
            /**
             * Format: uuid
             * @description Names the stored entry, or the first of several.
             * @example 0a2fa71e-c6f6-4e1a-b4c2-9d8e7f6a5b4c
             */
            id: string;
            /**
             * @description That all that was sent is stored: always true.
             * @example true
             */
            received: boolean;
            /**
             * @description Extends the specification: where `entries` were sent, names each of them, in their order.
             * @example [
             *       "0a2fa71e-c6f6-4e1a-b4c2-9d8e7f6a5b4c"
             *     ]
             */
            ids?: string[];
        };
        /** @description A part of a list, each element a audit event, with the length of the whole. */
        AuditEventPage: {
            /** @description The records of this page, in the order of `sort`. */
            data: components["schemas"]["AuditEvent"][];
            /**
             * Format: int32
             * @description Which page this is, counted from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int32
             * @description How many records a page has, but for the last.
             * @example 25
             */
            page_size: number;
            /**
             * Format: int64
             * @description How many records there are on all pages together, exactly.
             * @example 1
             */
            total: number;
        };
        /** @description Who did what to which record, or tried to. */
        AuditEvent: {
            /**
             * Format: uuid
             * @description Names the record in paths and references. The service chooses it; it never changes.
             * @example 7df59570-303b-4c3e-b7a9-1d5f8e2c6b40
             */
            readonly id: string;
            /**
             * Format: date-time
             * @description When it was done, by the clock of the service.
             * @example 2026-11-20T09:30:00.000Z
             */
            readonly occurred_at: string;
            /**
             * @description Id of the operation; or `login_refused`, `signature_refused`, `escalation_refused`, a command of the operator such as `suspendOrganization`, or `deliverEvents`.
             * @example updateIntegration
             */
            readonly operation: string;
            /**
             * @description An integration, a user, somebody without token and signature, the operator’s command line, or the service itself.
             * @example integration
             */
            readonly actor_type: "integration" | "user" | "anonymous" | "operator" | "service" | (string & {});
            /**
             * Format: uuid
             * @description Id of the integration or user that acted, where it was one.
             * @example 87d6100d-2b60-4d21-b6a1-90c4ee1f7a35
             */
            readonly actor_id: string | null;
            /**
             * @description Its app code at that time; of a refused login the one that was tried.
             * @example acme-billing
             */
            readonly actor_app_code: string | null;
            /**
             * @description What the user that acted was called at that time, where it was one.
             * @example Ada Byron
             */
            readonly actor_name: string | null;
            /**
             * @description Name of the record in this document: `Integration`.
             * @example Integration
             */
            readonly record_type: string;
            /**
             * Format: uuid
             * @description Which record of that type was created, changed, read (of a page the first) or tried.
             * @example 1690c4dc-6f18-4b6d-a3f2-7c9e0d4b5a18
             */
            readonly record_id: string;
            /**
             * @description Names of the fields that were set, without values; also `secret` or `secrets`, `tokens` where all were ended, and `confirmed` of a webhook endpoint.
             * @example [
             *       "status",
             *       "permissions"
             *     ]
             */
            readonly changed_fields: string[];
            /**
             * Format: int64
             * @description The number of refused logins, signatures or escalations that day. Only the 1st, 2nd, 4th, 8th … leave an event.
             * @example 4
             */
            readonly failures: number | null;
            /**
             * @description Of a refused escalation: which operation it tried.
             * @example rotateSecret
             */
            readonly attempted_operation: string | null;
            /**
             * Format: int64
             * @description Of a read of `credentials`: how many requests of the actor could show them that day. Only the 1st, 2nd, 4th, 8th … leave an event.
             * @example 4
             */
            readonly reads: number | null;
            /**
             * Format: int64
             * @description Of a read: how many records showed them.
             * @example 25
             */
            readonly shown_count: number | null;
            /**
             * @description Of a read: ids of the first ten.
             * @example [
             *       "0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80"
             *     ]
             */
            readonly shown_ids: string[] | null;
            /**
             * @description `X-Request-Id` of the response; null for the operator’s command line.
             * @example b4c8f0e2-6a1d-4f39-8e57-2d90c3a7b615
             */
            readonly request_id: string | null;
            /**
             * @description Network address that the request came from.
             * @example 192.0.2.17
             */
            readonly source_address: string | null;
        };
        /** @description Whether the service works. */
        HealthCheck: {
            /**
             * @description That requests are served.
             * @constant
             */
            status: "ok";
        };
        /** @description The keys that tokens may be signed with (RFC 7517 §5). */
        TokenKeySet: {
            /** @description One key, or two while one replaces the other. */
            keys: components["schemas"]["TokenKey"][];
        };
        /** @description A public key with which tokens are checked (RFC 7517 §4). */
        TokenKey: {
            /**
             * @description Kind of the key: `OKP` for Ed25519, `EC` for P-256.
             * @example OKP
             */
            kty: "OKP" | "EC" | (string & {});
            /**
             * @description The elliptic curve of the key.
             * @example Ed25519
             */
            crv: "Ed25519" | "P-256" | (string & {});
            /**
             * @description The key itself, or its first coordinate, in base64url.
             * @example 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo
             */
            x: string;
            /**
             * @description Second coordinate of an `EC` key, in base64url.
             * @example 4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM
             */
            y?: string;
            /**
             * @description Id of the key, as in the header of the tokens that it signed.
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            kid: string;
            /**
             * @description The one algorithm that the key is used with.
             * @example EdDSA
             */
            alg: "EdDSA" | "ES256" | (string & {});
            /**
             * @description That it checks signatures.
             * @constant
             */
            use: "sig";
        };
        /** @description Metadata of an authorization server (RFC 8414 §2). */
        AuthorizationServer: {
            /**
             * @description The address of this service as it was called, before `/.well-known`.
             * @example https://api.example.com
             */
            issuer: string;
            /**
             * @description Where clients request tokens.
             * @example https://api.example.com/api/v1/auth/token
             */
            token_endpoint: string;
            /**
             * @description Where the keys of tokens are.
             * @example https://api.example.com/.well-known/jwks.json
             */
            jwks_uri: string;
            /**
             * @description The values that `grant_type` may have.
             * @example [
             *       "client_credentials"
             *     ]
             */
            grant_types_supported: string[];
            /**
             * @description How clients say who they are.
             * @example [
             *       "client_secret_basic",
             *       "client_secret_post"
             *     ]
             */
            token_endpoint_auth_methods_supported: string[];
            /**
             * @description None: there is no authorization endpoint.
             * @example []
             */
            response_types_supported: string[];
            /**
             * @description Every permission, to which a token can be narrowed by `scope`.
             * @example [
             *       "clients:read",
             *       "clients:write"
             *     ]
             */
            scopes_supported: string[];
        };
        /** @description Metadata of a protected resource (RFC 9728 §2). */
        ProtectedResource: {
            /**
             * @description The address of this service as it was called, before `/.well-known`.
             * @example https://api.example.com
             */
            resource: string;
            /**
             * @description Who issues its tokens: the service itself.
             * @example [
             *       "https://api.example.com"
             *     ]
             */
            authorization_servers: string[];
            /**
             * @description Where a request has its token.
             * @example [
             *       "header"
             *     ]
             */
            bearer_methods_supported: string[];
            /**
             * @description Every permission, to which a token can be narrowed by `scope`.
             * @example [
             *       "clients:read",
             *       "clients:write"
             *     ]
             */
            scopes_supported: string[];
        };
        /** @description An OpenAPI 3.1.0 document (https://spec.openapis.org/oas/v3.1.0). */
        OpenApiDocument: {
            /**
             * @description Version of the format.
             * @constant
             */
            openapi: "3.1.0";
            /** @description What the document is about. */
            info: {
                /**
                 * @description What the service is.
                 * @example Custodia API
                 */
                title: string;
                /**
                 * @description Version of the interface, not of the software.
                 * @example 1.0.0
                 */
                version: string;
                /**
                 * @description How to begin, in Markdown.
                 * @example Clients, their services and resources.
                 */
                description: string;
            };
            /**
             * @description Where the service is.
             * @example [
             *       {
             *         "url": "/"
             *       }
             *     ]
             */
            servers: {
                /** @description Address below which the paths begin. */
                url: string;
            }[];
            /**
             * @description The groups of operations, in reading order.
             * @example []
             */
            tags: {
                [key: string]: unknown;
            }[];
            /**
             * @description All operations, by path and method.
             * @example {}
             */
            paths: {
                [key: string]: unknown;
            };
            /**
             * @description What operations have in common, by kind and name.
             * @example {
             *       "schemas": {}
             *     }
             */
            components: {
                [key: string]: unknown;
            };
        };
    };
    responses: never;
    parameters: {
        /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
        "Idempotency-Key": string;
        /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
        "If-Match": string;
        /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
        "If-None-Match": string;
        /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
        Prefer: string;
        /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
        traceparent: string;
        /** @description Which page, counted from 1. */
        Page: number;
        /** @description How many records a page holds. */
        PageSize: number;
        /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
        Sort: string;
        /** @description Only records with this status, such as `active`. Several, separated by commas: any of them. */
        Status: string | string[];
        /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
        OrgId: string;
        /** @description Small lists: any of these. */
        Id: string | string[];
        /** @description Small lists: any of these. */
        Name: string | string[];
        /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
        CreatedAfter: string;
        /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
        CreatedBefore: string;
        /** @description Small lists: none. */
        CreatedAt: "null";
        /** @description Small lists: any of these, `null` for none. */
        Phone: string | string[];
        /** @description Small lists: any of these, `null` for none. */
        Plan: string | string[];
        /** @description The client, by the id that its creation returned. */
        PathClientId: string;
        /** @description Id of the last record already seen: the list goes on behind it. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
        After: string;
        /** @description Only records of the client with this id. Several, separated by commas: any of them. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
        ClientId: string | string[];
        /** @description Only records that are doing so, such as `degraded`. Several, separated by commas: any of them. */
        HealthStatus: string | string[];
        /** @description Only records of which every one of these words begins a word of the name, such as `web sho`. Case, accents, letters and marks that few keyboards have, and order make no difference: `lodz` finds `Łódź`. `server` also finds `print-server`. A record is found by about its first 12 words and their parts; in scripts without spaces, by its segments. Where more than 2,000 begin like each of them, the filters must leave few records. */
        Q: string;
        /** @description Only the service with exactly this external id. `null` for none, in small lists. */
        ExternalId: string;
        /** @description Only services with this tag, one of their first 20. Repeated: all of them. */
        Tag: string | string[];
        /** @description Small lists: any of these. */
        Type: string | string[];
        /** @description Small lists: any of these, `null` for none. */
        Description: string | string[];
        /** @description Small lists: any of these, `null` for none. */
        Url: string | string[];
        /** @description Small lists: any of these, `null` for none. */
        AdminUrl: string | string[];
        /** @description Small lists: any of these. */
        Environment: string | string[];
        /** @description Small lists: from then on. */
        LastHealthCheckAfter: string;
        /** @description Small lists: earlier. */
        LastHealthCheckBefore: string;
        /** @description Small lists: none. */
        LastHealthCheck: "null";
        /** @description Small lists: at least. */
        UptimePercentageMin: number;
        /** @description Small lists: at most. */
        UptimePercentageMax: number;
        /** @description Small lists: any of these, `null` for none. */
        UptimePercentage: string | string[];
        /** @description Small lists: at least. */
        MonthlyCostMin: number;
        /** @description Small lists: at most. */
        MonthlyCostMax: number;
        /** @description Small lists: any of these. */
        MonthlyCost: number | number[];
        /** @description Small lists: any of these. */
        BillingCycle: string | string[];
        /** @description Small lists: from then on. */
        NextBillingDateAfter: string;
        /** @description Small lists: earlier. */
        NextBillingDateBefore: string;
        /** @description Small lists: none. */
        NextBillingDate: "null";
        /** @description Small lists: any of these, `null` for none. */
        Version: string | string[];
        /** @description Small lists: from then on. */
        DeployedAfter: string;
        /** @description Small lists: earlier. */
        DeployedBefore: string;
        /** @description Small lists: none. */
        DeployedAt: "null";
        /** @description Small lists: from then on. */
        UpdatedAfter: string;
        /** @description Small lists: earlier. */
        UpdatedBefore: string;
        /** @description Small lists: none. */
        UpdatedAt: "null";
        /** @description Small lists: whether it is so. */
        UnderMaintenance: boolean;
        /** @description The service, by the id that its creation returned. */
        PathServiceId: string;
        /** @description The resource, by the id that its creation returned. */
        PathResourceId: string;
        /** @description Order of creation: newest first (`-created_at`) or oldest first. */
        Sort2: "-created_at" | "created_at";
        /** @description Small lists: any of these, `null` for none. */
        ClientId2: string | string[];
        /** @description Small lists: any of these, `null` for none. */
        ServiceId: string | string[];
        /** @description Small lists: any of these, `null` for none. */
        ResourceId: string | string[];
        /** @description The maintenance window, by the id that its creation returned. */
        PathMaintenanceWindowId: string;
        /** @description The service action, by the id that its creation returned. */
        PathServiceActionId: string;
        /** @description The terminal, by the id that its creation returned. */
        PathTerminalId: string;
        /** @description Only tickets where the work stands so. Several, separated by commas: any of them. */
        Status2: ("open" | "closed" | "pending") | ("open" | "closed" | "pending")[];
        /** @description Only tickets of this client. Several, separated by commas: any of them. `null` for none, in small lists. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
        ClientId3: string | string[];
        /** @description Only tickets that are assigned to this user. Several, separated by commas: any of them. `null` for none, in small lists. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
        AssignedTo: string | string[];
        /** @description Only the ticket with exactly this code. */
        TicketCode: string;
        /** @description Only the ticket with exactly this external id. `null` for none, in small lists. */
        ExternalId2: string;
        /** @description Only records of which every one of these words begins a word of the subject, or the ticket code as typed or in capitals, such as `print sil`. Case, accents, letters and marks that few keyboards have, and order make no difference: `lodz` finds `Łódź`. `server` also finds `print-server`. A record is found by about its first 12 words and their parts; in scripts without spaces, by its segments. Where more than 2,000 begin like each of them, the filters must leave few records. */
        Q2: string;
        /** @description Only tickets with this tag, one of their first 20. Repeated: all of them. */
        Tag2: string | string[];
        /** @description Only tickets whose last activity was at this time or later: up to 10,000 may match, and more where other filters leave few. For example `2026-11-20T09:30:00Z`. */
        LastActivityAfter: string;
        /** @description Only tickets whose last activity was earlier. For example `2026-11-20T09:30:00Z`. */
        LastActivityBefore: string;
        /** @description Small lists: any of these. */
        ContactId: string | string[];
        /** @description Small lists: any of these. */
        Subject: string | string[];
        /** @description Small lists: any of these. */
        Description2: string | string[];
        /** @description Small lists: any of these. */
        Priority: string | string[];
        /** @description Small lists: any of these. */
        Source: string | string[];
        /** @description Small lists: any of these, `null` for none. */
        TerminalId: string | string[];
        /** @description Small lists: any of these, `null` for none. */
        AssignedTeam: string | string[];
        /** @description Small lists: from then on. */
        DueAfter: string;
        /** @description Small lists: earlier. */
        DueBefore: string;
        /** @description Small lists: none. */
        DueAt: "null";
        /** @description Small lists: none. */
        LastActivityAt: "null";
        /** @description Small lists: from then on. */
        FirstResponseAfter: string;
        /** @description Small lists: earlier. */
        FirstResponseBefore: string;
        /** @description Small lists: none. */
        FirstResponseAt: "null";
        /** @description Small lists: from then on. */
        ResolvedAfter: string;
        /** @description Small lists: earlier. */
        ResolvedBefore: string;
        /** @description Small lists: none. */
        ResolvedAt: "null";
        /** @description Small lists: whether it is so. */
        Overdue: boolean;
        /** @description Small lists: any of these, `null` for none. */
        MergedInto: string | string[];
        /** @description The ticket, by the id that its creation returned. */
        PathTicketId: string;
        /** @description Id of the message. */
        PathMessageId: string;
        /** @description The user, by the id that its creation returned. */
        PathUserId: string;
        /** @description The membership, by the id that its creation returned. */
        PathMembershipId: string;
        /** @description Names the attachment. */
        PathAttachmentId: string;
        /** @description The organization, by the id that its creation returned. */
        PathOrgId: string;
        /** @description The identity provider, by the id that its creation returned. */
        PathIdentityProviderId: string;
        /** @description The integration, by the id that its creation returned. */
        PathIntegrationId: string;
        /** @description Small lists: any of these. */
        AppCode: string | string[];
        /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
        OccurredAfter: string;
        /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
        OccurredBefore: string;
        /** @description The webhook endpoint, by the id that its creation returned. */
        PathWebhookEndpointId: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Login = components['schemas']['Login'];
export type AccessToken = components['schemas']['AccessToken'];
export type Problem = components['schemas']['Problem'];
export type FieldError = components['schemas']['FieldError'];
export type TokenRequest = components['schemas']['TokenRequest'];
export type AccessTokenResponse = components['schemas']['AccessTokenResponse'];
export type OAuthError = components['schemas']['OAuthError'];
export type ClientPage = components['schemas']['ClientPage'];
export type ClientRecord = components['schemas']['ClientRecord'];
export type ClientCreate = components['schemas']['ClientCreate'];
export type ClientUpsert = components['schemas']['ClientUpsert'];
export type ClientPatch = components['schemas']['ClientPatch'];
export type RecordChangeList = components['schemas']['RecordChangeList'];
export type RecordChange = components['schemas']['RecordChange'];
export type ClientSummary = components['schemas']['ClientSummary'];
export type ClientActionList = components['schemas']['ClientActionList'];
export type ClientAction = components['schemas']['ClientAction'];
export type ServicePage = components['schemas']['ServicePage'];
export type Service = components['schemas']['Service'];
export type ServiceCreate = components['schemas']['ServiceCreate'];
export type NamedClient = components['schemas']['NamedClient'];
export type ServiceUpsert = components['schemas']['ServiceUpsert'];
export type ServiceCounts = components['schemas']['ServiceCounts'];
export type ServicePatch = components['schemas']['ServicePatch'];
export type ResourcePage = components['schemas']['ResourcePage'];
export type Resource = components['schemas']['Resource'];
export type ResourceCreate = components['schemas']['ResourceCreate'];
export type NamedRecord = components['schemas']['NamedRecord'];
export type ResourceUpsert = components['schemas']['ResourceUpsert'];
export type ResourcePatch = components['schemas']['ResourcePatch'];
export type Move = components['schemas']['Move'];
export type ResourceHistoryEntryPage = components['schemas']['ResourceHistoryEntryPage'];
export type ResourceHistoryEntry = components['schemas']['ResourceHistoryEntry'];
export type ResourceHistoryEntryCreate = components['schemas']['ResourceHistoryEntryCreate'];
export type MaintenanceWindowPage = components['schemas']['MaintenanceWindowPage'];
export type MaintenanceWindow = components['schemas']['MaintenanceWindow'];
export type MaintenanceWindowCreate = components['schemas']['MaintenanceWindowCreate'];
export type MaintenanceWindowPatch = components['schemas']['MaintenanceWindowPatch'];
export type ServiceActionPage = components['schemas']['ServiceActionPage'];
export type ServiceAction = components['schemas']['ServiceAction'];
export type ServiceActionCreate = components['schemas']['ServiceActionCreate'];
export type ServiceActionClaim = components['schemas']['ServiceActionClaim'];
export type ClaimedServiceAction = components['schemas']['ClaimedServiceAction'];
export type ServiceActionHeartbeat = components['schemas']['ServiceActionHeartbeat'];
export type ServiceActionFinish = components['schemas']['ServiceActionFinish'];
export type TerminalPage = components['schemas']['TerminalPage'];
export type Terminal = components['schemas']['Terminal'];
export type TerminalCreate = components['schemas']['TerminalCreate'];
export type TerminalUpsert = components['schemas']['TerminalUpsert'];
export type TerminalPatch = components['schemas']['TerminalPatch'];
export type TicketSummaryPage = components['schemas']['TicketSummaryPage'];
export type TicketSummary = components['schemas']['TicketSummary'];
export type TicketCreate = components['schemas']['TicketCreate'];
export type Ticket = components['schemas']['Ticket'];
export type TicketUpsert = components['schemas']['TicketUpsert'];
export type TicketCounts = components['schemas']['TicketCounts'];
export type TicketPatch = components['schemas']['TicketPatch'];
export type TicketMerge = components['schemas']['TicketMerge'];
export type TicketMessageList = components['schemas']['TicketMessageList'];
export type TicketMessage = components['schemas']['TicketMessage'];
export type TicketMessageCreate = components['schemas']['TicketMessageCreate'];
export type TicketMessagePatch = components['schemas']['TicketMessagePatch'];
export type UserPage = components['schemas']['UserPage'];
export type User = components['schemas']['User'];
export type UserCreate = components['schemas']['UserCreate'];
export type UserUpsert = components['schemas']['UserUpsert'];
export type UserPatch = components['schemas']['UserPatch'];
export type IdentityList = components['schemas']['IdentityList'];
export type Identity = components['schemas']['Identity'];
export type IdentityCreate = components['schemas']['IdentityCreate'];
export type UserAccess = components['schemas']['UserAccess'];
export type Offboarding = components['schemas']['Offboarding'];
export type MembershipList = components['schemas']['MembershipList'];
export type Membership = components['schemas']['Membership'];
export type MembershipCreate = components['schemas']['MembershipCreate'];
export type MembershipPage = components['schemas']['MembershipPage'];
export type RolePage = components['schemas']['RolePage'];
export type Role = components['schemas']['Role'];
export type RoleCreate = components['schemas']['RoleCreate'];
export type PermissionPage = components['schemas']['PermissionPage'];
export type Permission = components['schemas']['Permission'];
export type MembershipPatch = components['schemas']['MembershipPatch'];
export type AttachmentList = components['schemas']['AttachmentList'];
export type Attachment = components['schemas']['Attachment'];
export type AttachmentCreate = components['schemas']['AttachmentCreate'];
export type AlertmanagerAlerts = components['schemas']['AlertmanagerAlerts'];
export type AlertsTaken = components['schemas']['AlertsTaken'];
export type Alert = components['schemas']['Alert'];
export type TrashPage = components['schemas']['TrashPage'];
export type TrashedRecord = components['schemas']['TrashedRecord'];
export type Batch = components['schemas']['Batch'];
export type BatchResult = components['schemas']['BatchResult'];
export type McpMessage = components['schemas']['McpMessage'];
export type McpResponse = components['schemas']['McpResponse'];
export type OrganizationPage = components['schemas']['OrganizationPage'];
export type Organization = components['schemas']['Organization'];
export type OrganizationCreate = components['schemas']['OrganizationCreate'];
export type OrganizationPatch = components['schemas']['OrganizationPatch'];
export type IdentityProviderPage = components['schemas']['IdentityProviderPage'];
export type IdentityProvider = components['schemas']['IdentityProvider'];
export type IdentityProviderCreate = components['schemas']['IdentityProviderCreate'];
export type IdentityProviderPatch = components['schemas']['IdentityProviderPatch'];
export type IntegrationPage = components['schemas']['IntegrationPage'];
export type Integration = components['schemas']['Integration'];
export type IntegrationCreate = components['schemas']['IntegrationCreate'];
export type CreatedIntegration = components['schemas']['CreatedIntegration'];
export type IntegrationPatch = components['schemas']['IntegrationPatch'];
export type UpdatedIntegration = components['schemas']['UpdatedIntegration'];
export type SecretRotation = components['schemas']['SecretRotation'];
export type RotatedIntegration = components['schemas']['RotatedIntegration'];
export type CutOffIntegration = components['schemas']['CutOffIntegration'];
export type Me = components['schemas']['Me'];
export type MyClient = components['schemas']['MyClient'];
export type RequestLimit = components['schemas']['RequestLimit'];
export type Usage = components['schemas']['Usage'];
export type RecordCount = components['schemas']['RecordCount'];
export type IntegrationRequests = components['schemas']['IntegrationRequests'];
export type RequestsOfDay = components['schemas']['RequestsOfDay'];
export type DeliveriesOfDay = components['schemas']['DeliveriesOfDay'];
export type EventPage = components['schemas']['EventPage'];
export type Event = components['schemas']['Event'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookReceipt = components['schemas']['WebhookReceipt'];
export type WebhookEventSummaryPage = components['schemas']['WebhookEventSummaryPage'];
export type WebhookEventSummary = components['schemas']['WebhookEventSummary'];
export type WebhookEvent = components['schemas']['WebhookEvent'];
export type WebhookEndpointPage = components['schemas']['WebhookEndpointPage'];
export type WebhookEndpoint = components['schemas']['WebhookEndpoint'];
export type WebhookEndpointCreate = components['schemas']['WebhookEndpointCreate'];
export type CreatedWebhookEndpoint = components['schemas']['CreatedWebhookEndpoint'];
export type WebhookEndpointPatch = components['schemas']['WebhookEndpointPatch'];
export type WebhookSecretRotation = components['schemas']['WebhookSecretRotation'];
export type RotatedWebhookEndpoint = components['schemas']['RotatedWebhookEndpoint'];
export type WebhookVerification = components['schemas']['WebhookVerification'];
export type WebhookReplay = components['schemas']['WebhookReplay'];
export type DeliveryAttemptPage = components['schemas']['DeliveryAttemptPage'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type LogEntryPage = components['schemas']['LogEntryPage'];
export type LogEntry = components['schemas']['LogEntry'];
export type LogEntryCreate = components['schemas']['LogEntryCreate'];
export type LogReceipt = components['schemas']['LogReceipt'];
export type AuditEventPage = components['schemas']['AuditEventPage'];
export type AuditEvent = components['schemas']['AuditEvent'];
export type HealthCheck = components['schemas']['HealthCheck'];
export type TokenKeySet = components['schemas']['TokenKeySet'];
export type TokenKey = components['schemas']['TokenKey'];
export type AuthorizationServer = components['schemas']['AuthorizationServer'];
export type ProtectedResource = components['schemas']['ProtectedResource'];
export type OpenApiDocument = components['schemas']['OpenApiDocument'];
export type $defs = Record<string, never>;
export interface operations {
    login: {
        parameters: {
            query?: never;
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description The token. The response is not to be kept by caches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessToken"];
                };
            };
        };
    };
    requestToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 20 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description The token. The response is not to be kept by caches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessTokenResponse"];
                };
            };
        };
    };
    listClients: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description Only records with this status, such as `active`. Several, separated by commas: any of them. */
                status?: components["parameters"]["Status"];
                /** @description Only clients with a risk (`has_risks`), or (`false`) only the others. */
                has_risks?: boolean;
                /** @description Only the client with exactly this slug. `null` for none, in small lists. */
                slug?: string;
                /** @description Only the client with exactly this external id. `null` for none, in small lists. */
                external_id?: string;
                /** @description Only records of which every one of these words begins a word of the name or the mail address, or the slug, such as `acme lis`. Case, accents, letters and marks that few keyboards have, and order make no difference: `lodz` finds `Łódź`. `server` also finds `print-server`. A record is found by about its first 12 words and their parts; in scripts without spaces, by its segments. Where more than 2,000 begin like each of them, the filters must leave few records. */
                q?: string;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                name?: components["parameters"]["Name"];
                /** @description Small lists: any of these. */
                timezone?: string | string[];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Small lists: none. */
                created_at?: components["parameters"]["CreatedAt"];
                /** @description Small lists: any of these, `null` for none. */
                email?: string | string[];
                /** @description Small lists: at least. */
                phone_min?: number;
                /** @description Small lists: at most. */
                phone_max?: number;
                /** @description Small lists: any of these, `null` for none. */
                phone?: components["parameters"]["Phone"];
                /** @description Small lists: any of these, `null` for none. */
                plan?: components["parameters"]["Plan"];
                /** @description Small lists: at least. */
                total_resources_min?: number;
                /** @description Small lists: at most. */
                total_resources_max?: number;
                /** @description Small lists: any of these, `null` for none. */
                total_resources?: string | string[];
                /** @description Small lists: at least. */
                services_count_min?: number;
                /** @description Small lists: at most. */
                services_count_max?: number;
                /** @description Small lists: any of these. */
                services_count?: number | number[];
                /** @description Small lists: from then on. */
                last_contact_after?: string;
                /** @description Small lists: earlier. */
                last_contact_before?: string;
                /** @description Small lists: none. */
                last_contact?: "null";
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of clients. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientPage"];
                };
            };
        };
    };
    upsertClient: {
        parameters: {
            query?: {
                /** @description Which client to change; a new one gets this slug. */
                slug?: string;
                /** @description Which client to change; a new one gets this `external_id`. */
                external_id?: string;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientUpsert"];
            };
        };
        responses: {
            /** @description The changed client, or the client as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientRecord"];
                };
            };
            /** @description The created client. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientRecord"];
                };
            };
        };
    };
    createClient: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientCreate"];
            };
        };
        responses: {
            /** @description The created client. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientRecord"];
                };
            };
        };
    };
    getClient: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The client, by the id that its creation returned. */
                id: components["parameters"]["PathClientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientRecord"];
                };
            };
        };
    };
    updateClient: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The client, by the id that its creation returned. */
                id: components["parameters"]["PathClientId"];
            };
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientPatch"];
            };
        };
        responses: {
            /** @description The updated client. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientRecord"];
                };
            };
        };
    };
    listClientChanges: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The client, by the id that its creation returned. */
                id: components["parameters"]["PathClientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes of the record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordChangeList"];
                };
            };
        };
    };
    summarizeClient: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The client, by the id that its creation returned. */
                id: components["parameters"]["PathClientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the client has, in numbers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientSummary"];
                };
            };
        };
    };
    listClientActions: {
        parameters: {
            query?: {
                /** @description Id of the last record already seen: the list goes on behind it. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                after?: components["parameters"]["After"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The client, by the id that its creation returned. */
                id: components["parameters"]["PathClientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The actions of the client. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientActionList"];
                };
            };
        };
    };
    listServices: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description Only records of the client with this id. Several, separated by commas: any of them. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                client_id?: components["parameters"]["ClientId"];
                /** @description Only records with this status, such as `active`. Several, separated by commas: any of them. */
                status?: components["parameters"]["Status"];
                /** @description Only records that are doing so, such as `degraded`. Several, separated by commas: any of them. */
                health_status?: components["parameters"]["HealthStatus"];
                /** @description Only records of which every one of these words begins a word of the name, such as `web sho`. Case, accents, letters and marks that few keyboards have, and order make no difference: `lodz` finds `Łódź`. `server` also finds `print-server`. A record is found by about its first 12 words and their parts; in scripts without spaces, by its segments. Where more than 2,000 begin like each of them, the filters must leave few records. */
                q?: components["parameters"]["Q"];
                /** @description Only the service with exactly this external id. `null` for none, in small lists. */
                external_id?: components["parameters"]["ExternalId"];
                /** @description Only services with this tag, one of their first 20. Repeated: all of them. */
                tag?: components["parameters"]["Tag"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                name?: components["parameters"]["Name"];
                /** @description Small lists: any of these. */
                type?: components["parameters"]["Type"];
                /** @description Small lists: any of these, `null` for none. */
                description?: components["parameters"]["Description"];
                /** @description Small lists: any of these, `null` for none. */
                url?: components["parameters"]["Url"];
                /** @description Small lists: any of these, `null` for none. */
                admin_url?: components["parameters"]["AdminUrl"];
                /** @description Small lists: any of these, `null` for none. */
                plan?: components["parameters"]["Plan"];
                /** @description Small lists: any of these. */
                environment?: components["parameters"]["Environment"];
                /** @description Small lists: from then on. */
                last_health_check_after?: components["parameters"]["LastHealthCheckAfter"];
                /** @description Small lists: earlier. */
                last_health_check_before?: components["parameters"]["LastHealthCheckBefore"];
                /** @description Small lists: none. */
                last_health_check?: components["parameters"]["LastHealthCheck"];
                /** @description Small lists: at least. */
                uptime_percentage_min?: components["parameters"]["UptimePercentageMin"];
                /** @description Small lists: at most. */
                uptime_percentage_max?: components["parameters"]["UptimePercentageMax"];
                /** @description Small lists: any of these, `null` for none. */
                uptime_percentage?: components["parameters"]["UptimePercentage"];
                /** @description Small lists: at least. */
                monthly_cost_min?: components["parameters"]["MonthlyCostMin"];
                /** @description Small lists: at most. */
                monthly_cost_max?: components["parameters"]["MonthlyCostMax"];
                /** @description Small lists: any of these. */
                monthly_cost?: components["parameters"]["MonthlyCost"];
                /** @description Small lists: any of these. */
                billing_cycle?: components["parameters"]["BillingCycle"];
                /** @description Small lists: from then on. */
                next_billing_date_after?: components["parameters"]["NextBillingDateAfter"];
                /** @description Small lists: earlier. */
                next_billing_date_before?: components["parameters"]["NextBillingDateBefore"];
                /** @description Small lists: none. */
                next_billing_date?: components["parameters"]["NextBillingDate"];
                /** @description Small lists: any of these, `null` for none. */
                version?: components["parameters"]["Version"];
                /** @description Small lists: from then on. */
                deployed_after?: components["parameters"]["DeployedAfter"];
                /** @description Small lists: earlier. */
                deployed_before?: components["parameters"]["DeployedBefore"];
                /** @description Small lists: none. */
                deployed_at?: components["parameters"]["DeployedAt"];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Small lists: none. */
                created_at?: components["parameters"]["CreatedAt"];
                /** @description Small lists: from then on. */
                updated_after?: components["parameters"]["UpdatedAfter"];
                /** @description Small lists: earlier. */
                updated_before?: components["parameters"]["UpdatedBefore"];
                /** @description Small lists: none. */
                updated_at?: components["parameters"]["UpdatedAt"];
                /** @description Small lists: whether it is so. */
                under_maintenance?: components["parameters"]["UnderMaintenance"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of services. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServicePage"];
                };
            };
        };
    };
    upsertService: {
        parameters: {
            query: {
                /** @description Which service to change; a new one gets this `external_id`. */
                external_id: string;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceUpsert"];
            };
        };
        responses: {
            /** @description The changed service, or the service as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
            /** @description The created service. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
        };
    };
    createService: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceCreate"];
            };
        };
        responses: {
            /** @description The created service. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
        };
    };
    summarizeServices: {
        parameters: {
            query?: {
                /** @description The field whose values are counted. */
                group_by?: "client_id" | "name" | "type" | "status" | "plan" | "environment" | "health_status" | "billing_cycle" | "version" | "under_maintenance";
                /** @description Only records of the client with this id. Several, separated by commas: any of them. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                client_id?: components["parameters"]["ClientId"];
                /** @description Only records with this status, such as `active`. Several, separated by commas: any of them. */
                status?: components["parameters"]["Status"];
                /** @description Only records that are doing so, such as `degraded`. Several, separated by commas: any of them. */
                health_status?: components["parameters"]["HealthStatus"];
                /** @description Only records of which every one of these words begins a word of the name, such as `web sho`. Case, accents, letters and marks that few keyboards have, and order make no difference: `lodz` finds `Łódź`. `server` also finds `print-server`. A record is found by about its first 12 words and their parts; in scripts without spaces, by its segments. Where more than 2,000 begin like each of them, the filters must leave few records. */
                q?: components["parameters"]["Q"];
                /** @description Only the service with exactly this external id. `null` for none, in small lists. */
                external_id?: components["parameters"]["ExternalId"];
                /** @description Only services with this tag, one of their first 20. Repeated: all of them. */
                tag?: components["parameters"]["Tag"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                name?: components["parameters"]["Name"];
                /** @description Small lists: any of these. */
                type?: components["parameters"]["Type"];
                /** @description Small lists: any of these, `null` for none. */
                description?: components["parameters"]["Description"];
                /** @description Small lists: any of these, `null` for none. */
                url?: components["parameters"]["Url"];
                /** @description Small lists: any of these, `null` for none. */
                admin_url?: components["parameters"]["AdminUrl"];
                /** @description Small lists: any of these, `null` for none. */
                plan?: components["parameters"]["Plan"];
                /** @description Small lists: any of these. */
                environment?: components["parameters"]["Environment"];
                /** @description Small lists: from then on. */
                last_health_check_after?: components["parameters"]["LastHealthCheckAfter"];
                /** @description Small lists: earlier. */
                last_health_check_before?: components["parameters"]["LastHealthCheckBefore"];
                /** @description Small lists: none. */
                last_health_check?: components["parameters"]["LastHealthCheck"];
                /** @description Small lists: at least. */
                uptime_percentage_min?: components["parameters"]["UptimePercentageMin"];
                /** @description Small lists: at most. */
                uptime_percentage_max?: components["parameters"]["UptimePercentageMax"];
                /** @description Small lists: any of these, `null` for none. */
                uptime_percentage?: components["parameters"]["UptimePercentage"];
                /** @description Small lists: at least. */
                monthly_cost_min?: components["parameters"]["MonthlyCostMin"];
                /** @description Small lists: at most. */
                monthly_cost_max?: components["parameters"]["MonthlyCostMax"];
                /** @description Small lists: any of these. */
                monthly_cost?: components["parameters"]["MonthlyCost"];
                /** @description Small lists: any of these. */
                billing_cycle?: components["parameters"]["BillingCycle"];
                /** @description Small lists: from then on. */
                next_billing_date_after?: components["parameters"]["NextBillingDateAfter"];
                /** @description Small lists: earlier. */
                next_billing_date_before?: components["parameters"]["NextBillingDateBefore"];
                /** @description Small lists: none. */
                next_billing_date?: components["parameters"]["NextBillingDate"];
                /** @description Small lists: any of these, `null` for none. */
                version?: components["parameters"]["Version"];
                /** @description Small lists: from then on. */
                deployed_after?: components["parameters"]["DeployedAfter"];
                /** @description Small lists: earlier. */
                deployed_before?: components["parameters"]["DeployedBefore"];
                /** @description Small lists: none. */
                deployed_at?: components["parameters"]["DeployedAt"];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Small lists: none. */
                created_at?: components["parameters"]["CreatedAt"];
                /** @description Small lists: from then on. */
                updated_after?: components["parameters"]["UpdatedAfter"];
                /** @description Small lists: earlier. */
                updated_before?: components["parameters"]["UpdatedBefore"];
                /** @description Small lists: none. */
                updated_at?: components["parameters"]["UpdatedAt"];
                /** @description Small lists: whether it is so. */
                under_maintenance?: components["parameters"]["UnderMaintenance"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many services there are, by the values of a field. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceCounts"];
                };
            };
        };
    };
    getService: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The service, by the id that its creation returned. */
                id: components["parameters"]["PathServiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
        };
    };
    deleteService: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The service, by the id that its creation returned. */
                id: components["parameters"]["PathServiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateService: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The service, by the id that its creation returned. */
                id: components["parameters"]["PathServiceId"];
            };
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServicePatch"];
            };
        };
        responses: {
            /** @description The updated service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
        };
    };
    listServiceChanges: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The service, by the id that its creation returned. */
                id: components["parameters"]["PathServiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes of the record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordChangeList"];
                };
            };
        };
    };
    restoreService: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The service, by the id that its creation returned. */
                id: components["parameters"]["PathServiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record, which is there again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
        };
    };
    getServiceOfClient: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The service, by the id that its creation returned. */
                id: components["parameters"]["PathServiceId"];
                /** @description Id of the client that the service belongs to. */
                client_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
        };
    };
    listResources: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description Only records of the client with this id. Several, separated by commas: any of them. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                client_id?: components["parameters"]["ClientId"];
                /** @description Only records of the service with this id. Several, separated by commas: any of them. `null` for none, in small lists. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                service_id?: string | string[];
                /** @description Only records with this status, such as `active`. Several, separated by commas: any of them. */
                status?: components["parameters"]["Status"];
                /** @description Only records that are doing so, such as `degraded`. Several, separated by commas: any of them. */
                health_status?: components["parameters"]["HealthStatus"];
                /** @description Only resources with a usage above `alert_threshold` and `usage_alerts_enabled`, or (`false`) only the others. */
                over_threshold?: boolean;
                /** @description Only records of which every one of these words begins a word of the name, the external id or the IP address, in whatever spelling, such as `10.0.0`. Case, accents, letters and marks that few keyboards have, and order make no difference: `lodz` finds `Łódź`. `server` also finds `print-server`. A record is found by about its first 12 words and their parts; in scripts without spaces, by its segments. Where more than 2,000 begin like each of them, the filters must leave few records. */
                q?: string;
                /** @description Only resources with exactly this `external_id`. `null` for none, in small lists. */
                external_id?: string;
                /** @description Only resources with this tag, one of their first 20. Repeated: all of them. */
                tag?: string | string[];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                name?: components["parameters"]["Name"];
                /** @description Small lists: any of these. */
                type?: components["parameters"]["Type"];
                /** @description Small lists: any of these, `null` for none. */
                description?: components["parameters"]["Description"];
                /** @description Small lists: any of these. */
                provider?: string | string[];
                /** @description Small lists: any of these, `null` for none. */
                location?: string | string[];
                /** @description Small lists: any of these, `null` for none. */
                ip_address?: string | string[];
                /** @description Small lists: from then on. */
                last_health_check_after?: components["parameters"]["LastHealthCheckAfter"];
                /** @description Small lists: earlier. */
                last_health_check_before?: components["parameters"]["LastHealthCheckBefore"];
                /** @description Small lists: none. */
                last_health_check?: components["parameters"]["LastHealthCheck"];
                /** @description Small lists: at least. */
                cpu_usage_min?: number;
                /** @description Small lists: at most. */
                cpu_usage_max?: number;
                /** @description Small lists: any of these, `null` for none. */
                cpu_usage?: string | string[];
                /** @description Small lists: at least. */
                memory_usage_min?: number;
                /** @description Small lists: at most. */
                memory_usage_max?: number;
                /** @description Small lists: any of these, `null` for none. */
                memory_usage?: string | string[];
                /** @description Small lists: at least. */
                storage_usage_min?: number;
                /** @description Small lists: at most. */
                storage_usage_max?: number;
                /** @description Small lists: any of these, `null` for none. */
                storage_usage?: string | string[];
                /** @description Small lists: whether it is so. */
                usage_alerts_enabled?: boolean;
                /** @description Small lists: at least. */
                alert_threshold_min?: number;
                /** @description Small lists: at most. */
                alert_threshold_max?: number;
                /** @description Small lists: any of these. */
                alert_threshold?: number | number[];
                /** @description Small lists: at least. */
                monthly_cost_min?: components["parameters"]["MonthlyCostMin"];
                /** @description Small lists: at most. */
                monthly_cost_max?: components["parameters"]["MonthlyCostMax"];
                /** @description Small lists: any of these. */
                monthly_cost?: components["parameters"]["MonthlyCost"];
                /** @description Small lists: any of these. */
                billing_cycle?: components["parameters"]["BillingCycle"];
                /** @description Small lists: from then on. */
                provisioned_after?: string;
                /** @description Small lists: earlier. */
                provisioned_before?: string;
                /** @description Small lists: none. */
                provisioned_at?: "null";
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Small lists: none. */
                created_at?: components["parameters"]["CreatedAt"];
                /** @description Small lists: from then on. */
                updated_after?: components["parameters"]["UpdatedAfter"];
                /** @description Small lists: earlier. */
                updated_before?: components["parameters"]["UpdatedBefore"];
                /** @description Small lists: none. */
                updated_at?: components["parameters"]["UpdatedAt"];
                /** @description Small lists: whether it is so. */
                under_maintenance?: components["parameters"]["UnderMaintenance"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of resources. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourcePage"];
                };
            };
        };
    };
    upsertResource: {
        parameters: {
            query: {
                /** @description Which resource to change; a new one gets this `external_id`. */
                external_id: string;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResourceUpsert"];
            };
        };
        responses: {
            /** @description The changed resource, or the resource as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
            /** @description The created resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
        };
    };
    createResource: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResourceCreate"];
            };
        };
        responses: {
            /** @description The created resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
        };
    };
    getResource: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The resource, by the id that its creation returned. */
                id: components["parameters"]["PathResourceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The resource. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
        };
    };
    deleteResource: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The resource, by the id that its creation returned. */
                id: components["parameters"]["PathResourceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The resource is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateResource: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The resource, by the id that its creation returned. */
                id: components["parameters"]["PathResourceId"];
            };
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResourcePatch"];
            };
        };
        responses: {
            /** @description The updated resource. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
        };
    };
    listResourceChanges: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The resource, by the id that its creation returned. */
                id: components["parameters"]["PathResourceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes of the record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordChangeList"];
                };
            };
        };
    };
    moveResource: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The resource, by the id that its creation returned. */
                id: components["parameters"]["PathResourceId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Move"];
            };
        };
        responses: {
            /** @description The resource after the move. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
        };
    };
    moveService: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The service, by the id that its creation returned. */
                id: components["parameters"]["PathServiceId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Move"];
            };
        };
        responses: {
            /** @description The service after the move. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
        };
    };
    restoreResource: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The resource, by the id that its creation returned. */
                id: components["parameters"]["PathResourceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record, which is there again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
        };
    };
    listResourceHistory: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description Order of creation: newest first (`-created_at`) or oldest first. */
                sort?: components["parameters"]["Sort2"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The resource, by the id that its creation returned. */
                id: components["parameters"]["PathResourceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of metrics samples. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourceHistoryEntryPage"];
                };
            };
        };
    };
    createResourceHistoryEntry: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The resource, by the id that its creation returned. */
                id: components["parameters"]["PathResourceId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResourceHistoryEntryCreate"];
            };
        };
        responses: {
            /** @description The stored sample. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourceHistoryEntry"];
                };
            };
        };
    };
    listMaintenanceWindows: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these, `null` for none. */
                client_id?: components["parameters"]["ClientId2"];
                /** @description Small lists: any of these, `null` for none. */
                service_id?: components["parameters"]["ServiceId"];
                /** @description Small lists: any of these, `null` for none. */
                resource_id?: components["parameters"]["ResourceId"];
                /** @description Small lists: from then on. */
                from_after?: string;
                /** @description Small lists: earlier. */
                from_before?: string;
                /** @description Small lists: from then on. */
                to_after?: string;
                /** @description Small lists: earlier. */
                to_before?: string;
                /** @description Small lists: any of these, `null` for none. */
                note?: string | string[];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Small lists: from then on. */
                updated_after?: components["parameters"]["UpdatedAfter"];
                /** @description Small lists: earlier. */
                updated_before?: components["parameters"]["UpdatedBefore"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of maintenance windows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceWindowPage"];
                };
            };
        };
    };
    createMaintenanceWindow: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MaintenanceWindowCreate"];
            };
        };
        responses: {
            /** @description The created maintenance window. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceWindow"];
                };
            };
        };
    };
    getMaintenanceWindow: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The maintenance window, by the id that its creation returned. */
                id: components["parameters"]["PathMaintenanceWindowId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The maintenance window. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceWindow"];
                };
            };
        };
    };
    deleteMaintenanceWindow: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The maintenance window, by the id that its creation returned. */
                id: components["parameters"]["PathMaintenanceWindowId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The maintenance window is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateMaintenanceWindow: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The maintenance window, by the id that its creation returned. */
                id: components["parameters"]["PathMaintenanceWindowId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MaintenanceWindowPatch"];
            };
        };
        responses: {
            /** @description The updated maintenance window. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceWindow"];
                };
            };
        };
    };
    listServiceActions: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description Only records of the service with this id. Several, separated by commas: any of them. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                service_id?: string | string[];
                /** @description Only records with this status, such as `active`. Several, separated by commas: any of them. */
                status?: components["parameters"]["Status"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                action_type?: string | string[];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Small lists: whether it is so. */
                run?: boolean;
                /** @description Small lists: from then on. */
                scheduled_for_after?: string;
                /** @description Small lists: earlier. */
                scheduled_for_before?: string;
                /** @description Small lists: none. */
                scheduled_for?: "null";
                /** @description Small lists: at least. */
                attempts_min?: number;
                /** @description Small lists: at most. */
                attempts_max?: number;
                /** @description Small lists: any of these. */
                attempts?: number | number[];
                /** @description Small lists: from then on. */
                leased_until_after?: string;
                /** @description Small lists: earlier. */
                leased_until_before?: string;
                /** @description Small lists: none. */
                leased_until?: "null";
                /** @description Small lists: at least. */
                progress_min?: number;
                /** @description Small lists: at most. */
                progress_max?: number;
                /** @description Small lists: any of these, `null` for none. */
                progress?: string | string[];
                /** @description Small lists: any of these, `null` for none. */
                log?: string | string[];
                /** @description Small lists: from then on. */
                finished_after?: string;
                /** @description Small lists: earlier. */
                finished_before?: string;
                /** @description Small lists: none. */
                finished_at?: "null";
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of service actions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceActionPage"];
                };
            };
        };
    };
    createServiceAction: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceActionCreate"];
            };
        };
        responses: {
            /** @description The recorded action. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAction"];
                };
            };
        };
    };
    getServiceAction: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The service action, by the id that its creation returned. */
                id: components["parameters"]["PathServiceActionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAction"];
                };
            };
        };
    };
    claimServiceAction: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceActionClaim"];
            };
        };
        responses: {
            /** @description The action with its lease, if there is one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedServiceAction"];
                };
            };
        };
    };
    extendServiceAction: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The service action, by the id that its creation returned. */
                id: components["parameters"]["PathServiceActionId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceActionHeartbeat"];
            };
        };
        responses: {
            /** @description The action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAction"];
                };
            };
        };
    };
    finishServiceAction: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The service action, by the id that its creation returned. */
                id: components["parameters"]["PathServiceActionId"];
            };
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceActionFinish"];
            };
        };
        responses: {
            /** @description The finished action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAction"];
                };
            };
        };
    };
    cancelServiceAction: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The service action, by the id that its creation returned. */
                id: components["parameters"]["PathServiceActionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cancelled action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAction"];
                };
            };
        };
    };
    listTerminals: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description Only records with this status, such as `active`. Several, separated by commas: any of them. */
                status?: components["parameters"]["Status"];
                /** @description Only records of the client with this id. Several, separated by commas: any of them. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                client_id?: components["parameters"]["ClientId"];
                /** @description Only the terminal with exactly this external id. `null` for none, in small lists. */
                external_id?: string;
                /** @description Only records of which every one of these words begins a word of the name or the location, such as `desk lis`. Case, accents, letters and marks that few keyboards have, and order make no difference: `lodz` finds `Łódź`. `server` also finds `print-server`. A record is found by about its first 12 words and their parts; in scripts without spaces, by its segments. Where more than 2,000 begin like each of them, the filters must leave few records. */
                q?: string;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                name?: components["parameters"]["Name"];
                /** @description Small lists: any of these. */
                location?: string | string[];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of terminals. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TerminalPage"];
                };
            };
        };
    };
    upsertTerminal: {
        parameters: {
            query: {
                /** @description Which terminal to change; a new one gets this `external_id`. */
                external_id: string;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TerminalUpsert"];
            };
        };
        responses: {
            /** @description The changed terminal, or the terminal as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Terminal"];
                };
            };
            /** @description The created terminal. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Terminal"];
                };
            };
        };
    };
    createTerminal: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TerminalCreate"];
            };
        };
        responses: {
            /** @description The created terminal. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Terminal"];
                };
            };
        };
    };
    getTerminal: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The terminal, by the id that its creation returned. */
                id: components["parameters"]["PathTerminalId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The terminal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Terminal"];
                };
            };
        };
    };
    updateTerminal: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The terminal, by the id that its creation returned. */
                id: components["parameters"]["PathTerminalId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TerminalPatch"];
            };
        };
        responses: {
            /** @description The updated terminal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Terminal"];
                };
            };
        };
    };
    listTerminalChanges: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The terminal, by the id that its creation returned. */
                id: components["parameters"]["PathTerminalId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes of the record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordChangeList"];
                };
            };
        };
    };
    moveTerminal: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The terminal, by the id that its creation returned. */
                id: components["parameters"]["PathTerminalId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Move"];
            };
        };
        responses: {
            /** @description The terminal after the move. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Terminal"];
                };
            };
        };
    };
    listTickets: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`, `last_activity_at`. Small lists: every other field that has a filter. */
                sort?: string;
                /** @description Only tickets where the work stands so. Several, separated by commas: any of them. */
                status?: components["parameters"]["Status2"];
                /** @description Only tickets of this client. Several, separated by commas: any of them. `null` for none, in small lists. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                client_id?: components["parameters"]["ClientId3"];
                /** @description Only tickets that are assigned to this user. Several, separated by commas: any of them. `null` for none, in small lists. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                assigned_to?: components["parameters"]["AssignedTo"];
                /** @description Only the ticket with exactly this code. */
                ticket_code?: components["parameters"]["TicketCode"];
                /** @description Only the ticket with exactly this external id. `null` for none, in small lists. */
                external_id?: components["parameters"]["ExternalId2"];
                /** @description Only records of which every one of these words begins a word of the subject, or the ticket code as typed or in capitals, such as `print sil`. Case, accents, letters and marks that few keyboards have, and order make no difference: `lodz` finds `Łódź`. `server` also finds `print-server`. A record is found by about its first 12 words and their parts; in scripts without spaces, by its segments. Where more than 2,000 begin like each of them, the filters must leave few records. */
                q?: components["parameters"]["Q2"];
                /** @description Only tickets with this tag, one of their first 20. Repeated: all of them. */
                tag?: components["parameters"]["Tag2"];
                /** @description Only tickets whose last activity was at this time or later: up to 10,000 may match, and more where other filters leave few. For example `2026-11-20T09:30:00Z`. */
                last_activity_after?: components["parameters"]["LastActivityAfter"];
                /** @description Only tickets whose last activity was earlier. For example `2026-11-20T09:30:00Z`. */
                last_activity_before?: components["parameters"]["LastActivityBefore"];
                /** @description How much of each ticket to show: the fields that are required in the response (`summary`), or all (`full`). */
                view?: "summary" | "full";
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                contact_id?: components["parameters"]["ContactId"];
                /** @description Small lists: any of these. */
                subject?: components["parameters"]["Subject"];
                /** @description Small lists: any of these. */
                description?: components["parameters"]["Description2"];
                /** @description Small lists: any of these. */
                priority?: components["parameters"]["Priority"];
                /** @description Small lists: any of these. */
                source?: components["parameters"]["Source"];
                /** @description Small lists: any of these, `null` for none. */
                service_id?: components["parameters"]["ServiceId"];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Small lists: none. */
                created_at?: components["parameters"]["CreatedAt"];
                /** @description Small lists: any of these, `null` for none. */
                resource_id?: components["parameters"]["ResourceId"];
                /** @description Small lists: any of these, `null` for none. */
                terminal_id?: components["parameters"]["TerminalId"];
                /** @description Small lists: any of these, `null` for none. */
                assigned_team?: components["parameters"]["AssignedTeam"];
                /** @description Small lists: from then on. */
                due_after?: components["parameters"]["DueAfter"];
                /** @description Small lists: earlier. */
                due_before?: components["parameters"]["DueBefore"];
                /** @description Small lists: none. */
                due_at?: components["parameters"]["DueAt"];
                /** @description Small lists: from then on. */
                updated_after?: components["parameters"]["UpdatedAfter"];
                /** @description Small lists: earlier. */
                updated_before?: components["parameters"]["UpdatedBefore"];
                /** @description Small lists: none. */
                updated_at?: components["parameters"]["UpdatedAt"];
                /** @description Small lists: none. */
                last_activity_at?: components["parameters"]["LastActivityAt"];
                /** @description Small lists: from then on. */
                first_response_after?: components["parameters"]["FirstResponseAfter"];
                /** @description Small lists: earlier. */
                first_response_before?: components["parameters"]["FirstResponseBefore"];
                /** @description Small lists: none. */
                first_response_at?: components["parameters"]["FirstResponseAt"];
                /** @description Small lists: from then on. */
                resolved_after?: components["parameters"]["ResolvedAfter"];
                /** @description Small lists: earlier. */
                resolved_before?: components["parameters"]["ResolvedBefore"];
                /** @description Small lists: none. */
                resolved_at?: components["parameters"]["ResolvedAt"];
                /** @description Small lists: whether it is so. */
                overdue?: components["parameters"]["Overdue"];
                /** @description Small lists: any of these, `null` for none. */
                merged_into?: components["parameters"]["MergedInto"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tickets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TicketSummaryPage"];
                };
            };
        };
    };
    upsertTicket: {
        parameters: {
            query: {
                /** @description Which ticket to change; a new one gets this `external_id`. */
                external_id: string;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TicketUpsert"];
            };
        };
        responses: {
            /** @description The changed ticket, or the ticket as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ticket"];
                };
            };
            /** @description The created ticket. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ticket"];
                };
            };
        };
    };
    createTicket: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TicketCreate"];
            };
        };
        responses: {
            /** @description The created ticket. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ticket"];
                };
            };
        };
    };
    summarizeTickets: {
        parameters: {
            query?: {
                /** @description The field whose values are counted. */
                group_by?: "ticket_code" | "contact_id" | "status" | "priority" | "source" | "client_id" | "service_id" | "assigned_to" | "resource_id" | "terminal_id" | "assigned_team" | "overdue" | "merged_into";
                /** @description Only tickets where the work stands so. Several, separated by commas: any of them. */
                status?: components["parameters"]["Status2"];
                /** @description Only tickets of this client. Several, separated by commas: any of them. `null` for none, in small lists. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                client_id?: components["parameters"]["ClientId3"];
                /** @description Only tickets that are assigned to this user. Several, separated by commas: any of them. `null` for none, in small lists. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                assigned_to?: components["parameters"]["AssignedTo"];
                /** @description Only the ticket with exactly this code. */
                ticket_code?: components["parameters"]["TicketCode"];
                /** @description Only the ticket with exactly this external id. `null` for none, in small lists. */
                external_id?: components["parameters"]["ExternalId2"];
                /** @description Only records of which every one of these words begins a word of the subject, or the ticket code as typed or in capitals, such as `print sil`. Case, accents, letters and marks that few keyboards have, and order make no difference: `lodz` finds `Łódź`. `server` also finds `print-server`. A record is found by about its first 12 words and their parts; in scripts without spaces, by its segments. Where more than 2,000 begin like each of them, the filters must leave few records. */
                q?: components["parameters"]["Q2"];
                /** @description Only tickets with this tag, one of their first 20. Repeated: all of them. */
                tag?: components["parameters"]["Tag2"];
                /** @description Only tickets whose last activity was at this time or later: up to 10,000 may match, and more where other filters leave few. For example `2026-11-20T09:30:00Z`. */
                last_activity_after?: components["parameters"]["LastActivityAfter"];
                /** @description Only tickets whose last activity was earlier. For example `2026-11-20T09:30:00Z`. */
                last_activity_before?: components["parameters"]["LastActivityBefore"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                contact_id?: components["parameters"]["ContactId"];
                /** @description Small lists: any of these. */
                subject?: components["parameters"]["Subject"];
                /** @description Small lists: any of these. */
                description?: components["parameters"]["Description2"];
                /** @description Small lists: any of these. */
                priority?: components["parameters"]["Priority"];
                /** @description Small lists: any of these. */
                source?: components["parameters"]["Source"];
                /** @description Small lists: any of these, `null` for none. */
                service_id?: components["parameters"]["ServiceId"];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Small lists: none. */
                created_at?: components["parameters"]["CreatedAt"];
                /** @description Small lists: any of these, `null` for none. */
                resource_id?: components["parameters"]["ResourceId"];
                /** @description Small lists: any of these, `null` for none. */
                terminal_id?: components["parameters"]["TerminalId"];
                /** @description Small lists: any of these, `null` for none. */
                assigned_team?: components["parameters"]["AssignedTeam"];
                /** @description Small lists: from then on. */
                due_after?: components["parameters"]["DueAfter"];
                /** @description Small lists: earlier. */
                due_before?: components["parameters"]["DueBefore"];
                /** @description Small lists: none. */
                due_at?: components["parameters"]["DueAt"];
                /** @description Small lists: from then on. */
                updated_after?: components["parameters"]["UpdatedAfter"];
                /** @description Small lists: earlier. */
                updated_before?: components["parameters"]["UpdatedBefore"];
                /** @description Small lists: none. */
                updated_at?: components["parameters"]["UpdatedAt"];
                /** @description Small lists: none. */
                last_activity_at?: components["parameters"]["LastActivityAt"];
                /** @description Small lists: from then on. */
                first_response_after?: components["parameters"]["FirstResponseAfter"];
                /** @description Small lists: earlier. */
                first_response_before?: components["parameters"]["FirstResponseBefore"];
                /** @description Small lists: none. */
                first_response_at?: components["parameters"]["FirstResponseAt"];
                /** @description Small lists: from then on. */
                resolved_after?: components["parameters"]["ResolvedAfter"];
                /** @description Small lists: earlier. */
                resolved_before?: components["parameters"]["ResolvedBefore"];
                /** @description Small lists: none. */
                resolved_at?: components["parameters"]["ResolvedAt"];
                /** @description Small lists: whether it is so. */
                overdue?: components["parameters"]["Overdue"];
                /** @description Small lists: any of these, `null` for none. */
                merged_into?: components["parameters"]["MergedInto"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many tickets there are, by the values of a field. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TicketCounts"];
                };
            };
        };
    };
    getTicket: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ticket. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ticket"];
                };
            };
        };
    };
    deleteTicket: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ticket and its messages are gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateTicket: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
            };
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TicketPatch"];
            };
        };
        responses: {
            /** @description The updated ticket. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ticket"];
                };
            };
        };
    };
    listTicketChanges: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes of the record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordChangeList"];
                };
            };
        };
    };
    mergeTicket: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TicketMerge"];
            };
        };
        responses: {
            /** @description The closed ticket. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ticket"];
                };
            };
        };
    };
    restoreTicket: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record, which is there again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ticket"];
                };
            };
        };
    };
    listTicketMessages: {
        parameters: {
            query?: {
                /** @description Id of the last record already seen: the list goes on behind it. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                after?: components["parameters"]["After"];
                /** @description How many messages a response has. */
                page_size?: number;
                /** @description Order of creation: oldest first, or newest first (`-created_at`). */
                sort?: "created_at" | "-created_at";
                /** @description Whether with the messages of the tickets that are merged into it. */
                merged?: boolean;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The messages of the ticket. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TicketMessageList"];
                };
            };
        };
    };
    createTicketMessage: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TicketMessageCreate"];
            };
        };
        responses: {
            /** @description The created message. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TicketMessage"];
                };
            };
        };
    };
    getTicketMessage: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
                /** @description Id of the message. */
                message_id: components["parameters"]["PathMessageId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TicketMessage"];
                };
            };
        };
    };
    deleteTicketMessage: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
                /** @description Id of the message. */
                message_id: components["parameters"]["PathMessageId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateTicketMessage: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
                /** @description Id of the message. */
                message_id: components["parameters"]["PathMessageId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TicketMessagePatch"];
            };
        };
        responses: {
            /** @description The message after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TicketMessage"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description Only users who belong to the organization at present, or (`false`) only the others. */
                is_active?: boolean;
                /** @description Only the user with exactly this address, in whatever case or form of its domain. */
                email?: string;
                /** @description Only the user with exactly this external id. `null` for none, in small lists. */
                external_id?: string;
                /** @description Only records of which every one of these words begins a word of the name or the mail address, such as `ines@`. Case, accents, letters and marks that few keyboards have, and order make no difference: `lodz` finds `Łódź`. `server` also finds `print-server`. A record is found by about its first 12 words and their parts; in scripts without spaces, by its segments. Where more than 2,000 begin like each of them, the filters must leave few records. */
                q?: string;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these, `null` for none. */
                name?: string | string[];
                /** @description Small lists: any of these, `null` for none. */
                phone?: components["parameters"]["Phone"];
                /** @description Small lists: any of these, `null` for none. */
                avatar_url?: string | string[];
                /** @description Small lists: whether it is so. */
                is_superadmin?: boolean;
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Small lists: none. */
                created_at?: components["parameters"]["CreatedAt"];
                /** @description Small lists: from then on. */
                last_login_after?: string;
                /** @description Small lists: earlier. */
                last_login_before?: string;
                /** @description Small lists: none. */
                last_login?: "null";
                /** @description Small lists: users with an active membership in this role, by the id or code of the role. Needs the permission `memberships:read`, and for codes `roles:read`. Several, separated by commas: any of them. */
                role?: string | string[];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of users. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
        };
    };
    upsertUser: {
        parameters: {
            query: {
                /** @description Which user to change; a new one gets this `external_id`. */
                external_id: string;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserUpsert"];
            };
        };
        responses: {
            /** @description The changed user, or the user as it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description The created user. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserCreate"];
            };
        };
        responses: {
            /** @description The created user. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The user, by the id that its creation returned. */
                id: components["parameters"]["PathUserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The user, by the id that its creation returned. */
                id: components["parameters"]["PathUserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateUser: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The user, by the id that its creation returned. */
                id: components["parameters"]["PathUserId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserPatch"];
            };
        };
        responses: {
            /** @description The updated user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    listUserChanges: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The user, by the id that its creation returned. */
                id: components["parameters"]["PathUserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes of the record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordChangeList"];
                };
            };
        };
    };
    listUserIdentities: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The user, by the id that its creation returned. */
                id: components["parameters"]["PathUserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The identities of the user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityList"];
                };
            };
        };
    };
    linkIdentity: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The user, by the id that its creation returned. */
                id: components["parameters"]["PathUserId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IdentityCreate"];
            };
        };
        responses: {
            /** @description The linked identity. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identity"];
                };
            };
        };
    };
    unlinkIdentity: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The user, by the id that its creation returned. */
                id: components["parameters"]["PathUserId"];
                /** @description The identity, by the id that its creation returned. */
                identity_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The identity is unlinked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getUserAccess: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The user, by the id that its creation returned. */
                id: components["parameters"]["PathUserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What its active memberships give. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserAccess"];
                };
            };
        };
    };
    revokeUserTokens: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The user, by the id that its creation returned. */
                id: components["parameters"]["PathUserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user, unchanged. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    offboardUser: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The user, by the id that its creation returned. */
                id: components["parameters"]["PathUserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What this request has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offboarding"];
                };
            };
        };
    };
    listUserMemberships: {
        parameters: {
            query?: {
                /** @description Id of the last record already seen: the list goes on behind it. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                after?: components["parameters"]["After"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The user, by the id that its creation returned. */
                id: components["parameters"]["PathUserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The memberships of the user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembershipList"];
                };
            };
        };
    };
    createMembership: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MembershipCreate"];
            };
        };
        responses: {
            /** @description The created membership. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Membership"];
                };
            };
        };
    };
    listMemberships: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description Only memberships of the user with this id. Several, separated by commas: any of them. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                user_id?: string | string[];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these, `null` for none. */
                client_id?: components["parameters"]["ClientId2"];
                /** @description Small lists: any of these, `null` for none. */
                role_id?: string | string[];
                /** @description Small lists: any of these. */
                status?: string | string[];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Small lists: none. */
                created_at?: components["parameters"]["CreatedAt"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of memberships. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembershipPage"];
                };
            };
        };
    };
    listRoles: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                code?: string | string[];
                /** @description Small lists: any of these. */
                label?: string | string[];
                /** @description Small lists: any of these, `null` for none. */
                description?: string | string[];
                /** @description Small lists: whether it is so. */
                is_system?: boolean;
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Small lists: none. */
                created_at?: components["parameters"]["CreatedAt"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of roles. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolePage"];
                };
            };
        };
    };
    createRole: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleCreate"];
            };
        };
        responses: {
            /** @description The created role. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    listPermissions: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of permissions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionPage"];
                };
            };
        };
    };
    getMembership: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The membership, by the id that its creation returned. */
                id: components["parameters"]["PathMembershipId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The membership. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Membership"];
                };
            };
        };
    };
    deleteMembership: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The membership, by the id that its creation returned. */
                id: components["parameters"]["PathMembershipId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The membership is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateMembership: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The membership, by the id that its creation returned. */
                id: components["parameters"]["PathMembershipId"];
            };
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MembershipPatch"];
            };
        };
        responses: {
            /** @description The updated membership. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Membership"];
                };
            };
        };
    };
    listAttachments: {
        parameters: {
            query?: {
                /** @description Id of the last record already seen: the list goes on behind it. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                after?: components["parameters"]["After"];
                /** @description How many attachments a response has. */
                page_size?: number;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attachments of the ticket. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachmentList"];
                };
            };
        };
    };
    createAttachment: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AttachmentCreate"];
            };
        };
        responses: {
            /** @description The announced attachment, and where its bytes go. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attachment"];
                };
            };
        };
    };
    getAttachment: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
                /** @description Names the attachment. */
                attachment_id: components["parameters"]["PathAttachmentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attachment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attachment"];
                };
            };
        };
    };
    deleteAttachment: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
                /** @description Names the attachment. */
                attachment_id: components["parameters"]["PathAttachmentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attachment is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    completeAttachment: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The ticket, by the id that its creation returned. */
                id: components["parameters"]["PathTicketId"];
                /** @description Names the attachment. */
                attachment_id: components["parameters"]["PathAttachmentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attachment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attachment"];
                };
            };
        };
    };
    receiveAlertsOfAlertmanager: {
        parameters: {
            query?: never;
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertmanagerAlerts"];
            };
        };
        responses: {
            /** @description Every alert was taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertsTaken"];
                };
            };
        };
    };
    receiveAlert: {
        parameters: {
            query?: never;
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Alert"];
            };
        };
        responses: {
            /** @description Every alert was taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertsTaken"];
                };
            };
        };
    };
    listTrash: {
        parameters: {
            query?: {
                /** @description Of which records. */
                kind?: "tickets" | "services" | "resources";
                /** @description Most records of the response. */
                limit?: number;
                /** @description The cursor to go on from. For example `001795728600000-1690c4dc-6f18-4b6d-a3f2-7c9e0d4b5a18`. */
                after?: string;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What can be restored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrashPage"];
                };
            };
        };
    };
    endTrashed: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description Id of the deleted ticket, service or resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record is gone for good. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    runBatch: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Batch"];
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description Every operation has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResult"];
                    "application/x-ndjson": string;
                };
            };
            /** @description Not every operation has succeeded. */
            207: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResult"];
                    "application/x-ndjson": string;
                };
            };
        };
    };
    sendMcpMessage: {
        parameters: {
            query?: {
                /** @description Which tools that read: those of the day, or all of records, events and logs. */
                toolsets?: "day" | "all";
                /** @description Also tools that write: changes of tickets and internal messages; `replies`: to customers, too. */
                write?: "tickets" | "replies";
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["McpMessage"];
            };
        };
        responses: {
            /** @description What became of the request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpResponse"];
                };
            };
            /** @description The notification was read. Nothing follows from it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listOrgs: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                name?: components["parameters"]["Name"];
                /** @description Small lists: any of these. */
                slug?: string | string[];
                /** @description Small lists: whether it is so. */
                membership_access?: boolean;
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of organizations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationPage"];
                };
            };
        };
    };
    createOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationCreate"];
            };
        };
        responses: {
            /** @description The created organization. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    getOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The organization, by the id that its creation returned. */
                id: components["parameters"]["PathOrgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    updateOrg: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The organization, by the id that its creation returned. */
                id: components["parameters"]["PathOrgId"];
            };
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationPatch"];
            };
        };
        responses: {
            /** @description The updated organization. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    listIdentityProviders: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                name?: components["parameters"]["Name"];
                /** @description Small lists: any of these. */
                issuer?: string | string[];
                /** @description Small lists: any of these. */
                status?: ("active" | "inactive") | ("active" | "inactive")[];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of identity providers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProviderPage"];
                };
            };
        };
    };
    createIdentityProvider: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IdentityProviderCreate"];
            };
        };
        responses: {
            /** @description The created identity provider. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProvider"];
                };
            };
        };
    };
    getIdentityProvider: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The identity provider, by the id that its creation returned. */
                id: components["parameters"]["PathIdentityProviderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The identity provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProvider"];
                };
            };
        };
    };
    deleteIdentityProvider: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The identity provider, by the id that its creation returned. */
                id: components["parameters"]["PathIdentityProviderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The identity provider is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateIdentityProvider: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The identity provider, by the id that its creation returned. */
                id: components["parameters"]["PathIdentityProviderId"];
            };
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IdentityProviderPatch"];
            };
        };
        responses: {
            /** @description The updated identity provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityProvider"];
                };
            };
        };
    };
    listIntegrations: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description Only integrations that may log in (`active`), or only the others. Several, separated by commas: any of them. */
                status?: ("active" | "inactive") | ("active" | "inactive")[];
                /** @description Only the integration with exactly this app code. */
                app_code?: string;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                display_name?: string | string[];
                /** @description Small lists: at least. */
                rate_limit_min?: number;
                /** @description Small lists: at most. */
                rate_limit_max?: number;
                /** @description Small lists: any of these, `null` for none. */
                rate_limit?: string | string[];
                /** @description Small lists: at least. */
                webhook_tolerance_seconds_min?: number;
                /** @description Small lists: at most. */
                webhook_tolerance_seconds_max?: number;
                /** @description Small lists: any of these, `null` for none. */
                webhook_tolerance_seconds?: string | string[];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
                /** @description Small lists: none. */
                created_at?: components["parameters"]["CreatedAt"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of integrations, without their secrets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationPage"];
                };
            };
        };
    };
    createIntegration: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationCreate"];
            };
        };
        responses: {
            /** @description The registered integration, with its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedIntegration"];
                };
            };
        };
    };
    getIntegration: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The integration, by the id that its creation returned. */
                id: components["parameters"]["PathIntegrationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integration, without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
        };
    };
    updateIntegration: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The integration, by the id that its creation returned. */
                id: components["parameters"]["PathIntegrationId"];
            };
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationPatch"];
            };
        };
        responses: {
            /** @description The updated integration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedIntegration"];
                };
            };
        };
    };
    rotateSecret: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The integration, by the id that its creation returned. */
                id: components["parameters"]["PathIntegrationId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecretRotation"];
            };
        };
        responses: {
            /** @description The integration with its new secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedIntegration"];
                };
            };
        };
    };
    revokeTokens: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The integration, by the id that its creation returned. */
                id: components["parameters"]["PathIntegrationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integration, unchanged, and what is paused. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CutOffIntegration"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description Id of the last record already seen: the list goes on behind it. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                after?: components["parameters"]["After"];
                /** @description Only requests of this integration. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                integration_id?: string;
                /** @description Only requests of this day and later ones. For example `2026-11-20`. */
                from?: string;
                /** @description Only requests of this day and earlier ones. For example `2026-11-20`. */
                to?: string;
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description The cursor to go on from; `latest` for one to begin with. For example `latest`. */
                after?: string;
                /** @description Most events of the response. */
                limit?: number;
                /** @description Only events of these types, separated by commas. For example `ticket.created,ticket.updated`. */
                types?: string;
                /** @description Only events of the record with this id, as a feed of its own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                record_id?: string;
                /** @description `record`: each event with its record, as it is now. */
                expand?: "record";
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events up to `next`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    receiveWebhook: {
        parameters: {
            query?: never;
            header: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
                /** @description The sender’s own id of the event, such as `evt_8Yd2`; an event is processed once. */
                "X-Event-ID": string;
                /** @description When the event happened (ISO 8601), such as `2026-11-20T09:29:58Z`. It is not signed. */
                "X-Timestamp"?: string;
            };
            path: {
                /** @description The integration that sends, by its app code. */
                app_code: string;
            };
            cookie?: never;
        };
        /** @description Up to 256 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookDelivery"];
            };
        };
        responses: {
            /** @description The event was received and processed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReceipt"];
                };
            };
        };
    };
    listWebhookEvents: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`, `occurred_at`, `received_at`. Small lists: every other field that has a filter. */
                sort?: string;
                /** @description Only events that the integration with this id sent. Several, separated by commas: any of them. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                integration_id?: string | string[];
                /** @description Only events of this type, such as `client.created`. Several, separated by commas: any of them. */
                event_type?: string | string[];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                app_code?: components["parameters"]["AppCode"];
                /** @description Small lists: any of these. */
                event_id?: string | string[];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                occurred_after?: components["parameters"]["OccurredAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                occurred_before?: components["parameters"]["OccurredBefore"];
                /** @description Small lists: none. */
                occurred_at?: "null";
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                received_after?: string;
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                received_before?: string;
                /** @description Small lists: any of these. */
                outcome?: ("applied" | "stored") | ("applied" | "stored")[];
                /** @description Small lists: any of these, `null` for none. */
                operation?: string | string[];
                /** @description Small lists: any of these, `null` for none. */
                record_id?: string | string[];
                /** @description Small lists: any of these. */
                body_sha256?: string | string[];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events, without their data. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEventSummaryPage"];
                };
            };
        };
    };
    getWebhookEvent: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The event by the id that the list has, which is not its sender’s. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEvent"];
                };
            };
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`. Small lists: every other field that has a filter. */
                sort?: components["parameters"]["Sort"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                integration_id?: string | string[];
                /** @description Small lists: any of these. */
                app_code?: components["parameters"]["AppCode"];
                /** @description Small lists: any of these, `null` for none. */
                description?: string | string[];
                /** @description Small lists: at least. */
                batch_size_min?: number;
                /** @description Small lists: at most. */
                batch_size_max?: number;
                /** @description Small lists: any of these. */
                batch_size?: number | number[];
                /** @description Small lists: any of these. */
                payload?: ("event" | "record") | ("event" | "record")[];
                /** @description Small lists: any of these. */
                status?: ("active" | "unverified" | "paused" | "disabled" | "expired") | ("active" | "unverified" | "paused" | "disabled" | "expired")[];
                /** @description Small lists: any of these, `null` for none. */
                status_reason?: ("ping_pending" | "ping_failed" | "ping_answer_wrong" | "not_pinged" | "requested" | "tokens_ended" | "more_permissions" | "integration_inactive" | "confirmer_cut_off" | "failing" | "gone" | "cursor_expired" | "null") | ("ping_pending" | "ping_failed" | "ping_answer_wrong" | "not_pinged" | "requested" | "tokens_ended" | "more_permissions" | "integration_inactive" | "confirmer_cut_off" | "failing" | "gone" | "cursor_expired" | "null")[];
                /** @description Small lists: from then on. */
                replayed_after?: string;
                /** @description Small lists: earlier. */
                replayed_before?: string;
                /** @description Small lists: none. */
                replayed_at?: "null";
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                created_after?: components["parameters"]["CreatedAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                created_before?: components["parameters"]["CreatedBefore"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of endpoints, without their secrets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointPage"];
                };
            };
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointCreate"];
            };
        };
        responses: {
            /** @description The created endpoint, with its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhookEndpoint"];
                };
            };
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The webhook endpoint, by the id that its creation returned. */
                id: components["parameters"]["PathWebhookEndpointId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint, without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The webhook endpoint, by the id that its creation returned. */
                id: components["parameters"]["PathWebhookEndpointId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint and its list of failed deliveries are gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The `ETag` that was read, such as `"3.pQ8x0aZcVd1k"`: the request is refused with 412 when the record has changed since, or when this is no tag of it (RFC 9110 §13.1.1). `*` stands for any version. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The webhook endpoint, by the id that its creation returned. */
                id: components["parameters"]["PathWebhookEndpointId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointPatch"];
            };
        };
        responses: {
            /** @description The updated endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    rotateWebhookEndpointSecret: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The webhook endpoint, by the id that its creation returned. */
                id: components["parameters"]["PathWebhookEndpointId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookSecretRotation"];
            };
        };
        responses: {
            /** @description The endpoint with its new secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedWebhookEndpoint"];
                };
            };
        };
    };
    pingWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The webhook endpoint, by the id that its creation returned. */
                id: components["parameters"]["PathWebhookEndpointId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event, which is going to be delivered. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    verifyWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The webhook endpoint, by the id that its creation returned. */
                id: components["parameters"]["PathWebhookEndpointId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookVerification"];
            };
        };
        responses: {
            /** @description The endpoint, which is active. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    replayWebhookEndpoint: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The webhook endpoint, by the id that its creation returned. */
                id: components["parameters"]["PathWebhookEndpointId"];
            };
            cookie?: never;
        };
        /** @description Up to 64 KB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookReplay"];
            };
        };
        responses: {
            /** @description The endpoint, which goes on from there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    listWebhookEndpointAttempts: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description Order of creation: newest first (`-created_at`) or oldest first. */
                sort?: components["parameters"]["Sort2"];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The webhook endpoint, by the id that its creation returned. */
                id: components["parameters"]["PathWebhookEndpointId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of failed deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryAttemptPage"];
                };
            };
        };
    };
    listLogs: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`, `ts`. Small lists: every other field that has a filter. */
                sort?: string;
                /** @description Only entries of this level, not of those above. Several, separated by commas: any of them. */
                level?: ("info" | "warn" | "error" | "debug") | ("info" | "warn" | "error" | "debug")[];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: any of these. */
                message?: string | string[];
                /** @description Small lists: any of these, `null` for none. */
                integration_id?: string | string[];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                ts_after?: string;
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                ts_before?: string;
                /** @description Only entries from this time on. The same as `ts_after`. For example `2026-11-20T09:30:00Z`. */
                from?: string;
                /** @description Only entries before this time. The same as `ts_before`. For example `2026-11-20T09:30:00Z`. */
                to?: string;
                /** @description Small lists: only entries whose message contains each of these words, such as `disk full`, in any order. Case and accents make no difference. */
                q?: string;
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of log entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogEntryPage"];
                };
            };
        };
    };
    ingestLog: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description A random text of your own that names this request for a day, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`: sent again with the same key it creates nothing and gets the same response as the first time, with as much as its caller may see by then. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description `handling=lenient`: fields that cannot be set here are ignored, whatever their values (RFC 7240 §4.4). Otherwise a value other than that of the record is a 422. `return=representation`: a batch returns whole records (§4.2). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Up to 1 MB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["LogEntryCreate"];
            };
        };
        responses: {
            /** @description The entry, or all of the entries, are stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogReceipt"];
                };
            };
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** @description Which page, counted from 1. */
                page?: components["parameters"]["Page"];
                /** @description How many records a page holds. */
                page_size?: components["parameters"]["PageSize"];
                /** @description One field, or two separated by a comma, each with `-` before it for the highest first. Records without a value come last. At any size: `created_at`, `occurred_at`. Small lists: every other field that has a filter. */
                sort?: string;
                /** @description Id of the integration or user that acted. Several, separated by commas: any of them. `null` for none, in small lists. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                actor_id?: string | string[];
                /** @description Id of the record that was created or changed. Several, separated by commas: any of them. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                record_id?: string | string[];
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
                /** @description Small lists: any of these. */
                id?: components["parameters"]["Id"];
                /** @description Small lists: from then on. For example `2026-11-20T09:30:00Z`. */
                occurred_after?: components["parameters"]["OccurredAfter"];
                /** @description Small lists: earlier. For example `2026-11-20T09:30:00Z`. */
                occurred_before?: components["parameters"]["OccurredBefore"];
                /** @description Small lists: any of these. */
                operation?: string | string[];
                /** @description Small lists: any of these. */
                actor_type?: ("integration" | "user" | "anonymous" | "operator" | "service") | ("integration" | "user" | "anonymous" | "operator" | "service")[];
                /** @description Small lists: any of these, `null` for none. */
                actor_app_code?: string | string[];
                /** @description Small lists: any of these, `null` for none. */
                actor_name?: string | string[];
                /** @description Small lists: any of these. */
                record_type?: string | string[];
                /** @description Small lists: at least. */
                failures_min?: number;
                /** @description Small lists: at most. */
                failures_max?: number;
                /** @description Small lists: any of these, `null` for none. */
                failures?: string | string[];
                /** @description Small lists: any of these, `null` for none. */
                attempted_operation?: string | string[];
                /** @description Small lists: at least. */
                reads_min?: number;
                /** @description Small lists: at most. */
                reads_max?: number;
                /** @description Small lists: any of these, `null` for none. */
                reads?: string | string[];
                /** @description Small lists: at least. */
                shown_count_min?: number;
                /** @description Small lists: at most. */
                shown_count_max?: number;
                /** @description Small lists: any of these, `null` for none. */
                shown_count?: string | string[];
                /** @description Small lists: any of these, `null` for none. */
                request_id?: string | string[];
                /** @description Small lists: any of these, `null` for none. */
                source_address?: string | string[];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of audit events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEventPage"];
                };
            };
        };
    };
    getAuditEvent: {
        parameters: {
            query?: {
                /** @description The organization to work in. Platform callers name any; others at most their own. For example `1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04`. */
                org_id?: components["parameters"]["OrgId"];
            };
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description The audit event, by the id that its creation returned. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The audit event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEvent"];
                };
            };
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    getDocsFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path: {
                /** @description Name of the page or file. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page or file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "text/css": string;
                    "text/javascript": string;
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service works. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthCheck"];
                };
            };
        };
    };
    getTokenKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys whose tokens are taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenKeySet"];
                };
            };
        };
    };
    getAuthorizationServer: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorizationServer"];
                };
            };
        };
    };
    getProtectedResource: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtectedResource"];
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` that was read, with its quotation marks, such as `W/"u0Zk3fWq"`: the response is a 304 when nothing has changed since (RFC 9110 §13.1.2). A malformed one is ignored. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description The trace of which this request is a part (W3C Trace Context), such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. The service logs the request under its trace id. A malformed one is ignored. */
                traceparent?: components["parameters"]["traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The OpenAPI document of this service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
        };
    };
}
/** Types of problems that there are today. */
export type KnownProblemType =
    | "urn:problem-type:custodia:malformed-request"
    | "urn:problem-type:custodia:invalid-parameter"
    | "urn:problem-type:custodia:too-many-matches"
    | "urn:problem-type:custodia:unauthorized"
    | "urn:problem-type:custodia:invalid-credentials"
    | "urn:problem-type:custodia:invalid-signature"
    | "urn:problem-type:custodia:forbidden"
    | "urn:problem-type:custodia:organization-suspended"
    | "urn:problem-type:custodia:not-found"
    | "urn:problem-type:custodia:route-not-found"
    | "urn:problem-type:custodia:method-not-allowed"
    | "urn:problem-type:custodia:contended"
    | "urn:problem-type:custodia:conflict"
    | "urn:problem-type:custodia:already-exists"
    | "urn:problem-type:custodia:still-in-use"
    | "urn:problem-type:custodia:event-already-processed"
    | "urn:problem-type:custodia:event-id-reused"
    | "urn:problem-type:custodia:list-being-built"
    | "urn:problem-type:custodia:gone"
    | "urn:problem-type:custodia:cursor-expired"
    | "urn:problem-type:custodia:precondition-failed"
    | "urn:problem-type:custodia:content-too-large"
    | "urn:problem-type:custodia:unsupported-media-type"
    | "urn:problem-type:custodia:invalid-body"
    | "urn:problem-type:custodia:reference-not-found"
    | "urn:problem-type:custodia:idempotency-key-reused"
    | "urn:problem-type:custodia:too-many-requests"
    | "urn:problem-type:custodia:internal-error"
    | "urn:problem-type:custodia:not-attempted"
    | "urn:problem-type:custodia:unavailable";
/** Paths whose operations take no token. */
export const OPEN_PATHS: ReadonlySet<string> = new Set<keyof paths>([
    "/api/v1/auth/login",
    "/api/v1/auth/token",
    "/api/v1/webhooks/{app_code}",
    "/api/v1/docs",
    "/api/v1/docs/{file}",
    "/api/v1/health",
    "/.well-known/jwks.json",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/api/v1/openapi",
]);
/** Paths that return a text, not JSON. */
export const TEXT_PATHS: ReadonlySet<string> = new Set<keyof paths>([
    "/api/v1/docs",
    "/api/v1/docs/{file}",
]);
