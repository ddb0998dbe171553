import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceIdOf } from '../../shared/telemetry/invocation.ts';
import { codePoint } from '../support/code-point.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${PARENT}-01`;
const GATEWAY = 'Root=1-6745d4b1-0123456789abcdef01234567';
const OF_GATEWAY = '6745d4b10123456789abcdef01234567';

describe('the trace of a request', () => {
  it.each([
    ['as it was sent', VALID],
    ['not sampled', `00-${TRACE}-${PARENT}-00`],
    ['of a later version', `cc-${TRACE}-${PARENT}-01`],
    ['of a later version, with more', `cc-${TRACE}-${PARENT}-01-what-will-be`],
  ])('is that of traceparent: %s', (_, value) => {
    expect(traceIdOf({ traceparent: [value] })).toBe(TRACE);
    expect(traceIdOf({ TraceParent: [value], 'X-Amzn-Trace-Id': [GATEWAY] })).toBe(TRACE);
  });

  it.each([
    ['empty', ''],
    ['of the version that is none', `ff-${TRACE}-${PARENT}-01`],
    ['all zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['without a parent', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['in capitals', VALID.toUpperCase()],
    ['with more than its version has', `${VALID}-more`],
    ['with a dash behind', `${VALID}-`],
    ['with more and no dash', `cc-${TRACE}-${PARENT}-01.more`],
    ['too short', VALID.slice(0, -1)],
    ['too long', `cc-${TRACE}-${PARENT}-01-${'x'.repeat(100_000)}`],
    ['with a line behind', `${VALID}\n{"level":"ERROR"}`],
    ['with space around', ` ${VALID} `],
    ['two in one', `${VALID}, ${VALID}`],
    ['other digits', VALID.replace('4', '４')],
  ])('is not that of a traceparent that is %s, but the gateway’s', (_, value) => {
    expect(traceIdOf({ traceparent: [value], 'X-Amzn-Trace-Id': [GATEWAY] })).toBe(OF_GATEWAY);
    expect(traceIdOf({ traceparent: [value] })).toBeUndefined();
  });

  it('is not that of two headers', () => {
    const other = VALID.replace('4', '5');
    expect(traceIdOf({ traceparent: [VALID, other] })).toBeUndefined();
    expect(traceIdOf({ traceparent: [VALID], Traceparent: [other] })).toBeUndefined();
  });

  it.each([
    ['alone', GATEWAY],
    ['among others', `Self=1-6745d4b1-abcdef012345678912345678;${GATEWAY};Parent=53995c3f42cd8ad8;Sampled=1`],
  ])('is the root of the gateway’s header: %s', (_, value) => {
    expect(traceIdOf({ 'x-amzn-trace-id': [value] })).toBe(OF_GATEWAY);
  });

  it('is the root that the gateway wrote, not one that a caller sent before it', () => {
    const sent = 'Root=1-00000001-000000000000000000000001';
    expect(traceIdOf({ 'X-Amzn-Trace-Id': [sent, GATEWAY] })).toBe(OF_GATEWAY);
  });

  it.each([
    '',
    'Root=',
    GATEWAY.toUpperCase(),
    'Root=1-00000000-000000000000000000000000',
    `x${GATEWAY}`,
    `${GATEWAY}x`,
  ])('is unknown where there is only %s', (value) => {
    expect(traceIdOf({ 'X-Amzn-Trace-Id': [value] })).toBeUndefined();
  });

  it('is unknown without headers', () => {
    expect([traceIdOf(null), traceIdOf({}), traceIdOf({ traceparent: undefined })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is 32 hexadecimal digits or unknown, whatever is sent', () => {
    const piece = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 20 }),
      fc.constantFrom(VALID, GATEWAY, TRACE, '-', '00', 'ff', ';', '\n'),
    );
    const value = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 2 }), fc.array(value, { maxLength: 2 }), (traceparent, amazon) => {
        expect(traceIdOf({ traceparent, 'x-amzn-trace-id': amazon }) ?? TRACE).toMatch(/^(?!0{32})[\da-f]{32}$/);
      }),
    );
  });
});
