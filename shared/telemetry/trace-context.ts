/** The trace that a request belongs to. */

type Headers = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * Trace id of `traceparent` (https://www.w3.org/TR/trace-context/#traceparent-header), else of the header that API
 * Gateway adds, in the same form
 * (https://docs.aws.amazon.com/xray/latest/devguide/xray-api-sendingdata.html#xray-api-traceids). Headers that are
 * malformed are ignored.
 */
export function traceIdOf(headers: Headers | null): string | undefined {
  return parentTrace(valuesOf(headers, 'traceparent')) ?? gatewayTrace(valuesOf(headers, 'x-amzn-trace-id'));
}

/**
 * Version, trace id, parent id, flags. Only the first version ends here: later ones may have more fields. No version is
 * `ff`.
 */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/;
const FIRST_VERSION = '00';
/** Longer than any trace that somebody has a reason to send, in characters. */
const LONGEST = 256;

function parentTrace(values: readonly string[]): string | undefined {
  const [value = '', ...others] = values;
  if (others.length > 0 || value.length > LONGEST) return undefined;
  const [, version, traceId, more] = TRACEPARENT.exec(value) ?? [];
  return version === FIRST_VERSION && more !== undefined ? undefined : known(traceId);
}

/** `Root=1-<time>-<random>;Sampled=0`, in any order. The gateway's own value comes last. */
const ROOT = /(?:^|;)Root=1-([\da-f]{8})-([\da-f]{24})(?:;|$)/;

function gatewayTrace(values: readonly string[]): string | undefined {
  const value = values.at(-1) ?? '';
  const [, time, random] = (value.length <= LONGEST && ROOT.exec(value)) || [];
  return time === undefined || random === undefined ? undefined : known(`${time}${random}`);
}

/** An id of zeros only is not a trace. */
const known = (traceId: string | undefined): string | undefined =>
  traceId === undefined || /^0+$/.test(traceId) ? undefined : traceId;

const valuesOf = (headers: Headers | null, name: string): readonly string[] =>
  Object.keys(headers ?? {})
    .filter((sent) => sent.length === name.length && sent.toLowerCase() === name)
    .flatMap((sent) => headers?.[sent] ?? []);
