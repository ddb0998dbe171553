import type { Body } from '../../shared/contract/record.ts';
import { jsonBody, type WithJson } from '../../shared/http/middleware/json-body.ts';
import { validFields } from '../../shared/http/validate.ts';

/** The fields of a JSON text sent to a route with this body, as the chain reads them. */
export function readBody(body: Body, text: string): Record<string, unknown> {
  const request = { headers: new Map([['content-type', 'application/json']]), bytes: Buffer.from(text) };
  const event: WithJson = { ...{ matched: { route: { body, auth: 'bearer' } }, request }, json: undefined };
  jsonBody().before?.({ event } as never);
  if (event.json === undefined) throw new Error('the body was not read');
  return validFields(body, event.json);
}
