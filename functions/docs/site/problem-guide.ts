import type { ProblemType } from '#contract/problem';

/** The cause of each problem, and its remedy. Markdown. */
export const PROBLEM_GUIDE: Readonly<Record<ProblemType, { readonly cause: string; readonly remedy: string }>> = {
  'malformed-request': {
    cause: 'The body is not JSON in UTF-8, or a part of the request line or of the headers cannot be read.',
    remedy:
      'Serialize the body with a JSON library, and send what it gives as UTF-8. `detail` says in which line and column reading ended, what is there, and what JSON has there.',
  },
  'invalid-parameter': {
    cause:
      'A parameter of the path, of the query or a header is missing, has a value out of its bounds, or is not known: an unknown parameter is refused, so that a mistyped filter does not list everything.',
    remedy: 'Look at `errors`: each finding names the place (`in`, `pointer`) and what is allowed there.',
  },
  'too-many-matches': {
    cause:
      'The list is filtered or sorted by what no index answers, so that the records decide, and more than 500 read units of them are left to read. It also happens to what an index answers, where that finds more records than it reads, such as a word that thousands have.',
    remedy:
      '`detail` says how many they are, and which filters narrow the list at any size: ask with one of these as well. `Scan-Units` of an earlier response says how close it was. The [guide](pagination#small-lists) has the rule.',
  },
  unauthorized: {
    cause:
      'The request has no token, or one that is expired, revoked, or not of this service; or something else in its place, such as the secret of an integration or an API key.',
    remedy:
      'Log in at `POST /api/v1/auth/login` with app code and secret, and send the `access_token` as `Authorization: Bearer …`, the word once and the token once. `detail` says what is wrong. Tokens live for an hour; they end earlier when the secret that they were issued for is revoked, or when the integration is.',
  },
  'invalid-credentials': {
    cause:
      'The app code is unknown, the integration is inactive, or the secret is wrong. The response is the same for all of them.',
    remedy:
      'Check that the secret is whole, with its `cst_`, and that it has not been rotated. After several failures, logins with this app code from your network must wait: see `too-many-requests`.',
  },
  'invalid-signature': {
    cause:
      'A delivery has no `X-Signature`, one that is not 64 hex digits, or one that does not fit its body and the secret of the integration.',
    remedy:
      '`detail` says which of these. Send the digits alone, without `sha256=` before them. Sign the very bytes that you send. The [webhooks page](webhooks) signs a body in your browser, to compare with.',
  },
  forbidden: {
    cause:
      'The integration lacks the permission of the operation, asks for another organization than its own, or does what only platform callers may do.',
    remedy:
      '`detail` says which. A permission that it names can be given by someone with `integrations:write`: log in again afterwards.',
  },
  'organization-suspended': {
    cause: 'Those who operate this service have suspended the organization. Its records are kept.',
    remedy: 'Ask the operator of this API. Requests work again as soon as the organization is resumed.',
  },
  'not-found': {
    cause:
      'There is no record of this kind with this id in your organization; `detail` names the kind. The response for a record of another organization is the same.',
    remedy:
      'Check the id, and which organization the token is of. A platform token names the organization with `org_id`. A deleted record does not come back.',
  },
  'route-not-found': {
    cause:
      'The API has no such path. Every path begins with `/api/v1`, and at the address of a stage with the name of the stage.',
    remedy: 'Compare the path with the [reference](reference).',
  },
  'method-not-allowed': {
    cause: 'The path exists, but not with this method.',
    remedy:
      'Use a method that `detail` and the header `Allow` name. Records are changed with `PATCH` at their own paths; `PUT` names one in the query.',
  },
  conflict: {
    cause:
      'The state of a record does not allow the change, as when an organization has as many integrations as it may have.',
    remedy: '`detail` says what stands against it. Sending the same again does not help until that has changed.',
  },
  contended: {
    cause:
      'Other requests were changing the record that this one names, at each of several tries within three seconds. Nothing was changed.',
    remedy:
      'Wait as many seconds as `Retry-After` says, and send it again. If it happens often, send the changes of one record one after the other: a batch does so.',
  },
  'already-exists': {
    cause: 'Another record has the value of a field that must be unique, such as the `slug` of a client.',
    remedy:
      '`errors` names the field. Choose another value, or read the record that has it. If this is the response to a repeated create, send an `Idempotency-Key` with creates: a repetition then gets the first response.',
  },
  'still-in-use': {
    cause: 'Other records refer to the one that is to be deleted.',
    remedy: '`detail` says which kind of records and how many. Delete them or move them first.',
  },
  'event-already-processed': {
    cause: 'An event with this `X-Event-ID` and this body was processed before.',
    remedy: 'Nothing: for the sender this is a success. It happens when the response to the first delivery was lost.',
  },
  'event-id-reused': {
    cause: 'An event with this `X-Event-ID` but another body was processed before. This one was not.',
    remedy:
      'Give each event an id of its own, made when it happens and kept with it, and send this event again under its own.',
  },
  'list-being-built': {
    cause:
      'The index of a filter or of an order is new, and lacks older records of your organization. Lists with pages are read without it, as [small lists](pagination#small-lists) are, but here more than 500 read units of records would be left to read. The memberships of a user, and `PUT` with `external_id`, need the index at any size.',
    remedy:
      'Add filters that leave fewer records, leave out what `errors` names, or wait: those who operate this service are building the index. `Retry-After` says when it is worth another try.',
  },
  gone: {
    cause:
      'A create was repeated under its `Idempotency-Key`, and the organization of what it created was erased meanwhile.',
    remedy: 'Nothing brings it back. To create something new, send the request with a new key.',
  },
  'cursor-expired': {
    cause:
      'Events after this cursor have expired: they are kept for 30 days. Or records were restored from a backup since, and events do not tell what that changed.',
    remedy:
      'Begin anew: get a cursor with `GET /api/v1/events?after=latest`; read every list with `sort=created_at` from its last page to its first; then follow the events from that cursor. Records that no list has any more were deleted meanwhile.',
  },
  'precondition-failed': {
    cause: 'The record is no longer in the version that `If-Match` names: somebody else has changed it.',
    remedy: 'Read the record again, apply your change to what you find, and send it with the new `ETag`.',
  },
  'content-too-large': {
    cause:
      'The body, the record that it would make, or the page that was asked for is larger than this service handles.',
    remedy:
      '`detail`, or a finding in `errors`, names the limit. Send less at once, or ask for smaller pages with `page_size`.',
  },
  'unsupported-media-type': {
    cause:
      'The body is not declared as `application/json` in UTF-8, or it is compressed otherwise than its `Content-Encoding` says, or in another way than gzip or deflate.',
    remedy: 'Send `Content-Type: application/json`. With curl, `-d` alone declares a form.',
  },
  'invalid-body': {
    cause:
      'The body is JSON, but not what the operation takes: a field is missing, unknown, of the wrong type or out of its bounds.',
    remedy: 'Look at `errors`: there is a finding for each field that is wrong, with a JSON Pointer to it.',
  },
  'reference-not-found': {
    cause:
      'A field of the body is the id of a record that your organization does not have, such as a `client_id` of no client. The response for a record of another organization is the same.',
    remedy:
      'Look at `errors`: each finding points at the field. Create the record first, or take the id from its list. A service, resource or terminal has to be of the client that the body names.',
  },
  'idempotency-key-reused': {
    cause: 'The `Idempotency-Key` was used before for a request with another path or body.',
    remedy: 'Use a new random key for each thing to create, and the same key only to repeat the same request.',
  },
  'too-many-requests': {
    cause:
      'The budget of the integration or of its organization is spent, in which a request with much work counts as several; or too many wrong secrets or signatures came from your network.',
    remedy:
      'Wait as many seconds as `Retry-After` says, and repeat. `RateLimit` tells with each response what is left.',
  },
  'internal-error': {
    cause: 'A defect of this service. Whether a change was made is not known.',
    remedy:
      'Tell the operator of this API the `request_id`. Creates with an `Idempotency-Key`, reads, deletes and webhooks can be repeated as they are.',
  },
  'not-attempted': {
    cause:
      'An operation of a batch was not begun: the time of the batch was over, the request budget was spent, or an operation before it that names the same record has to be sent again. Nothing was changed by it.',
    remedy:
      'Send it again after `retry_after` seconds, with those that got a 429, a 503 or `contended`, in a batch of their own and in their order. Smaller batches end sooner.',
  },
  unavailable: {
    cause:
      'The service, or something that it depends on, did not respond in time. Whether a change was made is not known.',
    remedy:
      'Wait as many seconds as `Retry-After` says, and repeat with the same `Idempotency-Key` or event id; the guide on [retries](retries) says what else can be repeated.',
  },
};
