import { Contended, isConflict, isTransient, listErrors } from '@custodia/counted-lists';
import { Problem, pointer } from '#contract';
import { type Entity, NotUnique, RecordTooLarge, StaleRead } from '#table';
import { type Asked, listBeingBuilt, tooManyMatches } from './list-refusals.ts';
import { PageTooLarge } from './response.ts';

/**
 * The problem that is returned for an error. Unexpected errors become `internal-error`, without their message.
 * @param asked the request that ended with it, as far as it was understood
 */
export function problemOf(error: unknown, asked: Asked = {}): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof NotUnique) return alreadyExists(error);
  if (error instanceof PageTooLarge) return pageTooLarge(error);
  if (error instanceof RecordTooLarge) {
    return new Problem('content-too-large', {
      detail:
        `The record would take ${error.size} bytes in a response, and may take ${error.most}. Quotation marks ` +
        'and backslashes of its JSON count twice.',
      cause: error,
    });
  }
  if (error instanceof listErrors.ItemTooLarge) {
    return new Problem('content-too-large', { detail: 'A record may have up to 409600 bytes.', cause: error });
  }
  if (error instanceof listErrors.TooManyMatches) return tooManyMatches(error, asked);
  if (error instanceof listErrors.ListNotBuilt) return listBeingBuilt(error, asked);
  if (error instanceof listErrors.NotOffered) return notOffered(error);
  if (error instanceof listErrors.PageIncomplete) {
    return new Problem('unavailable', {
      detail:
        error.reason === 'moved'
          ? 'Records of this page were changed each time while it was read. Ask again.'
          : 'This list is being put in order after many writes were lost. Each request does a part of it: ask again.',
      headers: { 'Retry-After': '1' },
      cause: error,
    });
  }
  if (isContention(error)) return contended(error);
  if (error instanceof listErrors.TableUnavailable || isTransient(error)) {
    return new Problem('unavailable', { headers: { 'Retry-After': '2' }, cause: error });
  }
  return new Problem('internal-error', { cause: error });
}

/**
 * Whether a request ended because others were writing the same items. That is no failure of the service, although the
 * status may be 503: whoever races with its own requests must not raise alarms or roll back a deployment
 * (`docs/decisions/0002`).
 */
export const isContention = (error: unknown): boolean =>
  error instanceof Contended ||
  error instanceof StaleRead ||
  isConflict(error instanceof listErrors.TableUnavailable ? error.cause : error);

const contended = (cause: unknown): Problem =>
  cause instanceof Contended && cause.isOfNamedRecord
    ? new Problem('contended', {
        detail: 'Others were changing this record at each try. Nothing was changed: send the request again.',
        headers: { 'Retry-After': '1' },
        cause,
      })
    : new Problem('unavailable', {
        detail: 'Other requests were writing the same records at each try. Send the request again.',
        headers: { 'Retry-After': '2' },
        cause,
      });

const alreadyExists = ({ field }: NotUnique): Problem => {
  const detail = `Another record has this ${field}.`;
  return new Problem('already-exists', { detail, errors: [{ in: 'body', pointer: pointer([field]), detail }] });
};

const pageTooLarge = (error: PageTooLarge): Problem =>
  new Problem('invalid-parameter', {
    detail: `The records of this page are too large for one response. Ask for at most ${error.fitting} with page_size.`,
    errors: [{ in: 'query', pointer: '#/page_size', detail: `must be at most ${error.fitting} for these records` }],
    cause: error,
  });

const notOffered = (error: listErrors.NotOffered): Problem =>
  new Problem('invalid-parameter', {
    detail: `This list does not take ${error.parameter} here: it is turned off.`,
    errors: [{ in: 'query', pointer: pointer([error.parameter]), detail: 'is not offered here' }],
    cause: error,
  });

/**
 * The 404 of a record that its path names. The same for a missing record and another tenant's.
 * @param hint what helps this caller, whatever there is
 */
export const noRecord = (kind: Pick<Entity, 'name' | 'record' | 'audited'>, hint = ''): Problem =>
  new Problem('not-found', {
    detail: `There is no ${wordsOf(kind.record?.name ?? kind.audited ?? kind.name)} with this id.${hint}`,
  });

/** `ServiceAction` and `SERVICE_ACTION` are "service action". */
const wordsOf = (name: string): string =>
  name
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    .replaceAll('_', ' ')
    .toLowerCase();

/**
 * The error of a reference to a missing record: a 422 that points at the field. Another tenant's record counts as
 * missing.
 * @example tenant.records(clientEntity).require(body.client_id, noSuchRecord('client_id'));
 */
export const noSuchRecord =
  (field: string, detail = `names a ${field.replace(/_id$/, '')} that does not exist`) =>
  (): Problem =>
    new Problem('reference-not-found', {
      detail: `${field} ${detail}.`,
      errors: [{ in: 'body', pointer: pointer([field]), detail }],
    });
