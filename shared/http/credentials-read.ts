import { listErrors } from '@custodia/counted-lists';
import type { Contract, Route } from '#contract';
import { type Caller, mayDo } from '#identity';
import type { Tenant } from '#table';
import { ReadCount } from '#tenancy';
import type { Input, OperationContext } from './operation.ts';
import { metadataOf } from './route-metadata.ts';

/**
 * A request whose response may show fields with a permission of their own, such as `credentials`
 * (`docs/decisions/0071-credentials-of-records.md`). The read is counted in parallel to the work; a read that cannot be
 * counted shows nothing. The 1st, 2nd, 4th, 8th … read of an integration in a day leaves an audit event in the
 * request's transaction. If that read shows nothing, the next read that shows something leaves it.
 */
export class CredentialsRead {
  readonly #tenant: Tenant;
  readonly #recordType: string;
  readonly #fields: readonly string[];
  readonly #counting: Promise<void>;
  #count: ReadCount | undefined;

  /** The read of a request; undefined where its response shows this caller no such field. */
  static of(
    { contract, route }: { readonly contract: Contract; readonly route: Route },
    input: Input,
    scope: OperationContext,
  ): CredentialsRead | undefined {
    const { recordType, fieldPermissions = {} } = route.returns ?? contract;
    if (!('tenant' in scope) || recordType === undefined) return undefined;
    const { caller, tenant } = scope;
    const fields = Object.entries(fieldPermissions)
      .filter(([field, code]) => mayDo(caller, code) && mayShow(route, input, field))
      .map(([field]) => field);
    return fields.length === 0 ? undefined : new CredentialsRead(tenant, caller, recordType, fields);
  }

  /** Begins to count the read. */
  constructor(tenant: Tenant, caller: Caller, recordType: string, fields: readonly string[]) {
    this.#tenant = tenant;
    this.#recordType = recordType;
    this.#fields = fields;
    this.#counting = this.#countFor(caller);
    this.#counting.catch(() => undefined);
  }

  async #countFor({ id }: Caller): Promise<void> {
    try {
      this.#count = await ReadCount.increment(this.#tenant, this.#recordType, id);
    } catch (cause) {
      throw new listErrors.TableUnavailable('a read of protected fields could not be counted', { cause });
    }
  }

  /**
   * Resolves when the read is counted. Rejects with TableUnavailable when it cannot be counted: then nothing may be
   * shown.
   */
  get counted(): Promise<void> {
    return this.#counting;
  }

  /** Stages the audit event of a response, where one is due. */
  async stageEventOf({ body }: { readonly body: string }): Promise<void> {
    if (this.#count?.isEventDue && body !== '') await this.stageEvent(idsShowing(JSON.parse(body), this.#fields));
  }

  /** Stages the audit event of these records, where one is due. */
  async stageEvent(ids: readonly string[]): Promise<void> {
    const count = this.#count;
    if (count === undefined || !count.isEventDue || ids.length === 0) return;
    count.stageEventLeft();
    await this.#tenant.auditLog(this.#recordType).read(ids, count.reads);
  }
}

/** Whether a response may have the field, and a value in it: a creation shows what it was given. */
function mayShow(route: Route, { body }: Input, field: string): boolean {
  const { response } = metadataOf(route);
  const record = response?.fields?.data?.element ?? response;
  return record?.fields?.[field] !== undefined && (!isCreation(route) || (body?.[field] ?? null) !== null);
}

const isCreation = ({ method, response }: Route): boolean => method === 'POST' && response.status === 201;

/** Ids of the records of a response, a record or a page, that show a value in one of these fields. */
function idsShowing(body: unknown, fields: readonly string[]): string[] {
  const { data } = body as { readonly data?: unknown };
  const records = (Array.isArray(data) ? data : [body]) as readonly Readonly<Record<string, unknown>>[];
  return records
    .filter((record) => fields.some((field) => (record[field] ?? null) !== null))
    .map(({ id }) => String(id));
}
