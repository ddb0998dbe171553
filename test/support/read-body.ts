import { type Body, noContent, route } from '#contract';
import { jsonBody, validated } from '../../shared/http/middleware/input.ts';
import { middyRequest, routedEvent } from './chain.ts';

/** The fields of a JSON text sent to a route with this body, as the chain reads them. */
export function readBody(body: Body, text: string): Readonly<Record<string, unknown>> {
  const taking = route('POST', '/things', { summary: 'Take it', auth: 'none', body, response: noContent('Taken.') });
  const multiValueHeaders = { 'Content-Type': ['application/json'] };
  const request = middyRequest(routedEvent(taking, { multiValueHeaders, body: text }));
  for (const { before } of [jsonBody(), validated()]) before?.(request);
  const { body: fields } = request.event.input;
  if (fields === undefined) throw new Error('the body was not read');
  return fields;
}
