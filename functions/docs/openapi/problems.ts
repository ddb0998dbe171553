import * as z from 'zod';
import {
  GATEWAY_PROBLEMS,
  MAX_FIELD_ERRORS,
  oauth,
  PROBLEM_TYPE_PREFIX,
  PROBLEMS,
  Problem,
  pointer,
  refusalContext,
} from '#contract';
import * as field from '#contract/field';

const TYPES = Object.keys(PROBLEMS) as Problem['type'][];

const finding = z
  .object({
    in: z.enum(['body', 'query', 'path', 'header']).describe('The part of the request that the pointer points into.'),
    pointer: field.text(10_000).describe('JSON Pointer as a URI fragment (RFC 6901 §6).'),
    detail: field.text(1_000).describe('Why that part is refused, in words.'),
  })
  .describe('One thing that is wrong with a request.')
  .meta({ id: 'FieldError' });

/** Problem details (RFC 9457). Loose, because clients must ignore members that they do not know (§3.2). */
export const problemSchema = z
  .looseObject({
    type: z
      .enum(TYPES.map((type) => `${PROBLEM_TYPE_PREFIX}${type}`))
      .describe(
        'Identifies the kind of problem, and stays as it is. Later releases may add others. Behind the `#` of ' +
          '`/api/v1/docs/problems` it leads to its cause and what to do.',
      ),
    title: field.text(200).describe('The kind of problem in words.'),
    status: z
      .int32()
      .min(400)
      .max(599)
      .optional()
      .describe('The HTTP status, where it is known to the one who responds.'),
    detail: field.text(1_000).optional().describe('What is wrong with this request.'),
    request_id: field.text(200).describe('Names this request in the logs of the service.'),
    errors: z.array(finding).max(MAX_FIELD_ERRORS).optional().describe('Every finding, each with its place.'),
  })
  .describe('Problem details (RFC 9457). Members that you do not know are to be ignored.')
  .meta({ id: 'Problem' });

const REQUEST_ID = '5f2c6c1e-8d4b-4f0e-9a53-6d1f0b7c2a90';

/** Details of the examples. */
const EXAMPLES: { readonly [type in Problem['type']]?: ConstructorParameters<typeof Problem>[1] } = {
  'malformed-request': {
    detail: 'The body is not valid JSON: line 3, column 1 has `}` in place of a name in double quotes.',
  },
  'invalid-parameter': {
    errors: [{ in: 'query', pointer: pointer(['page_size']), detail: 'must be a whole number from 1 to 200' }],
  },
  'too-many-matches': {
    detail:
      'No index answers priority: 12000 records or more would have to be read, and at most 500 read units of them ' +
      'are. Ask with one of the filters status, client_id.',
    errors: [{ in: 'query', pointer: pointer(['priority']), detail: 'works only where few records are left to read' }],
  },
  unauthorized: { detail: refusalContext('The token has expired.').detail },
  forbidden: { detail: 'This needs the permission clients:write.' },
  'organization-suspended': { detail: 'The organization is suspended: ask those who operate this service.' },
  'already-exists': {
    detail: 'Another record has this slug.',
    errors: [{ in: 'body', pointer: pointer(['slug']), detail: 'Another record has this slug.' }],
  },
  'list-being-built': {
    detail:
      'The index of plan is still being built, and lacks older records. Until then it works where few records are ' +
      'left to read: ask with further filters, or without plan.',
    errors: [{ in: 'query', pointer: pointer(['plan']), detail: 'cannot be used here yet' }],
  },
  'not-found': { detail: 'There is no client with this id.' },
  'route-not-found': { detail: GATEWAY_PROBLEMS.RESOURCE_NOT_FOUND.detail ?? '' },
  'method-not-allowed': { detail: 'This path takes GET, HEAD, POST.' },
  'invalid-signature': { detail: 'The header X-Signature is missing.' },
  'event-already-processed': { detail: 'This event was already processed: there is no need to send it again.' },
  'content-too-large': { detail: 'The body may have up to 1 MB.' },
  'invalid-body': {
    errors: [
      { in: 'body', pointer: pointer(['name']), detail: 'is required' },
      { in: 'body', pointer: pointer(['timeZone']), detail: 'is not known here; did you mean `timezone`?' },
    ],
  },
  'reference-not-found': {
    errors: [{ in: 'body', pointer: pointer(['client_id']), detail: 'names a client that does not exist' }],
  },
};

/**
 * A problem as it would be sent.
 *
 * @example problemExample('not-found').detail; // There is no client with this id.
 */
export const problemExample = (type: Problem['type']) => new Problem(type, EXAMPLES[type]).detailsFor(REQUEST_ID);

/** An error of OAuth (RFC 6749 §5.2). Loose, because clients must ignore members that they do not know. */
export const oauthErrorSchema = z
  .looseObject({
    error: z.enum(oauth.ERRORS).describe('What kind of error it is, for programs. Later releases may add others.'),
    error_description: field.text(1_000).describe('What is wrong with this request, for people.'),
    request_id: field.text(200).describe('Names this request in the logs of the service.'),
  })
  .describe('An error of OAuth 2.0 (RFC 6749 §5.2). Members that you do not know are to be ignored.')
  .meta({ id: 'OAuthError' });

/** An error of OAuth as it would be sent. */
export const oauthExample = (type: Problem['type']) => oauth.responseTo(new Problem(type, EXAMPLES[type]), REQUEST_ID);
