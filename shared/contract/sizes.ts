/**
 * Size limits, in bytes unless they say otherwise. They follow from a limit of AWS: a Lambda's result has at most 6 MB
 * (AWS Lambda quotas). The body of a response is a string in that result's JSON, so it counts escaped: a quotation mark
 * in a field of a record takes four bytes.
 */

/** Largest body of a request, where it has fields of free-form JSON. Webhooks have a smaller limit of their own. */
export const MAX_BODY = 1_048_576;

/** Largest body of any other request: none has longer fields, and a caller may be anonymous. */
export const MAX_PLAIN_BODY = 65_536;

/** Largest body of a response, escaped. The rest of the 6 MB is for headers. */
export const MAX_RESPONSE = 5_880_000;

/** Largest field of free-form JSON, as text in UTF-8. */
export const MAX_JSON = 65_536;

/**
 * Responses from this size on are compressed by the gateway for callers that ask for it (`docs/decisions/0134`). A
 * smaller one fits into one packet as it is.
 */
export const COMPRESSED_FROM = 1_024;

/** Most read units of records that are read to filter or sort a list where no index does (`docs/decisions/0170`). */
export const MOST_RESIDUAL = 500;
