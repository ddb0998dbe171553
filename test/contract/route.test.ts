import { describe, expect, it } from 'vitest';
import { body, noContent, ok, problemsOf, record, route } from '#contract';
import * as field from '#contract/field';
import { impliedProblems, statusesOf } from '../../shared/contract/traits.ts';

const job = record('RouteTestJob', () => ({ name: field.name(20) }));
const response = ok(job, 'The job.', { name: 'a' });
const read = { summary: 'Read a job', permission: 'jobs:read', response } as const;

describe('route()', () => {
  it.each([
    ['a path parameter that is not declared', () => route('GET', '/jobs/{id}', read).params],
    [
      'a declared parameter that is not in the path',
      () => route('GET', '/jobs', { ...read, params: () => ({ id: field.uuid() }) }).params,
    ],
    ['another name', () => route('GET', '/jobs/{id}', { ...read, params: () => ({ job_id: field.uuid() }) }).params],
    ['a token without a permission', () => route('GET', '/jobs', { summary: 'Read', response })],
    [
      'an optional token without a permission',
      () => route('GET', '/jobs', { summary: 'Read', response, auth: 'bearer-optional' }),
    ],
    ['a permission without a token', () => route('GET', '/jobs', { ...read, auth: 'none' })],
    ['a permission beside a signature', () => route('POST', '/jobs', { ...read, auth: 'signature' })],
    [
      'an event that does what only platform callers may do',
      () => route('POST', '/jobs', { ...read, callers: 'platform', event: { type: 'job.created' } }),
    ],
    [
      'platform callers without a token',
      () => route('GET', '/jobs', { summary: 'Read', response, auth: 'none', callers: 'platform' }),
    ],
  ])('refuses %s', (_, declare) => {
    expect(declare).toThrow(TypeError);
  });

  it('refuses parameters that it does not know', () => {
    const { query, params } = route('GET', '/jobs/{id}', { ...read, params: () => ({ id: field.uuid() }) });
    expect(query.safeParse({ limit: '3' }).success).toBe(false);
    expect(params.safeParse({}).success).toBe(false);
  });

  it('lets a platform caller name an organization, unless the route is its own', () => {
    expect('org_id' in route('GET', '/jobs', read).query.shape).toBe(true);
    expect('org_id' in route('GET', '/jobs', { ...read, tenancy: 'own' }).query.shape).toBe(false);
    expect('org_id' in route('GET', '/jobs', { summary: 'Read', response, auth: 'none' }).query.shape).toBe(false);
  });
});

describe('the problems of a route', () => {
  it('follow from its kind', () => {
    expect(statusesOf(route('GET', '/jobs', { summary: 'Read', response, auth: 'none' }))).toEqual([
      200, 304, 400, 429, 500, 503, 504,
    ]);
    expect(statusesOf(route('GET', '/jobs', read))).toEqual([200, 304, 400, 401, 403, 404, 429, 500, 503, 504]);
    expect(statusesOf(route('DELETE', '/jobs', { ...read, tenancy: 'own', response: noContent('Gone.') }))).toEqual([
      204, 400, 401, 403, 409, 412, 429, 500, 503, 504,
    ]);
    const signed = {
      summary: 'Take a job',
      auth: 'signature',
      body: body('RouteTestEvent', () => ({})),
      response,
    } as const;
    expect(statusesOf(route('POST', '/jobs', { ...signed, errors: ['not-found'] }))).toEqual([
      200, 400, 401, 403, 404, 413, 415, 422, 429, 500, 503, 504,
    ]);
  });

  it('are its own and the implied ones, each once', () => {
    const patch = route('PATCH', '/jobs', { ...read, body: job.patch, errors: ['not-found', 'already-exists'] });
    expect(problemsOf(patch)).toEqual([...new Set(problemsOf(patch))]);
    expect(new Set(problemsOf(patch))).toEqual(new Set([...impliedProblems(patch), 'not-found', 'already-exists']));
  });
});
