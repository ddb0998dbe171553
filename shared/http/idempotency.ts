import { hash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { environmentEncryption, StoredKeyGone } from '#auth';
import { type Contract, Problem, type Route, takesHeader } from '#contract';
import { type Caller, type IntegrationCaller, includeAll, mayDo } from '#identity';
import { type DeduplicationStore, type RequestSession, StaleRead, Tenant } from '#table';
import { type Credentials, dataKeyCache, readCredentialsOf, readSuspension } from '#tenancy';
import type { OperationContext } from './operation.ts';
import { allOf, readHeld } from './privileged-operations.ts';
import type { HttpRequest } from './request/http-request.ts';
import { withoutFields } from './response.ts';

/**
 * `Idempotency-Key` on every POST that creates (draft-ietf-httpapi-idempotency-key-header-07). The first response is
 * stored in the transaction that creates the record: both or neither. When two requests with one key run at once, the
 * second finds the key at its commit and repeats the first response, without the fields that its own caller may not see
 * now.
 */

/** How long a key is remembered, in seconds. */
const LIFETIME = 86_400;

const KEY = /^[\x21-\x7e]{1,255}$/;

interface Remembered {
  /**
   * {@link Kept} as encrypted JSON: the response may contain a secret, and a weak secret in the request could be
   * guessed from the fingerprint.
   */
  readonly encrypted: string;
  /**
   * The id of the organization that a platform caller's request has changed. The response is encrypted under the
   * organization's stored data key, so that it becomes unreadable when the organization is erased.
   */
  readonly organization?: string;
}

interface Kept {
  readonly fingerprint: string;
  readonly answer: Pick<APIGatewayProxyResult, 'statusCode' | 'headers' | 'body'>;
  /** Stored under this name. */
  readonly asker?: FirstCaller;
}

/** A use of a key: by whom, and for what. */
interface KeyUse {
  readonly contract: Contract;
  readonly caller: Caller;
  readonly tenant: Tenant;
  readonly key: string;
  /** Route and input. */
  readonly text: string;
  /** The route's contract. */
  readonly errors: Route['errors'];
}

/** One request under an idempotency key. */
export class IdempotentRequest {
  readonly #use: KeyUse;
  readonly #fingerprint: string;
  readonly #remembered: DeduplicationStore<Remembered>;

  /**
   * Undefined where the request has no key or its route takes none.
   * @param inputs validated input; the same key with other input is refused
   * @throws Problem `invalid-parameter`
   */
  static of(
    { contract, route }: { readonly contract: Contract; readonly route: Route },
    request: HttpRequest,
    scope: OperationContext,
    inputs: unknown,
  ): IdempotentRequest | undefined {
    const key = request.headers.get('idempotency-key');
    const { caller, session } = scope;
    if (key === undefined || caller === undefined || !takesHeader(route, 'Idempotency-Key')) return undefined;
    if (!KEY.test(key)) {
      throw new Problem('invalid-parameter', {
        errors: [{ in: 'header', pointer: '#/Idempotency-Key', detail: 'must be 1 to 255 visible ASCII characters' }],
      });
    }
    const tenant = 'tenant' in scope ? scope.tenant : Tenant.of(caller, session);
    return new IdempotentRequest({
      contract,
      caller,
      tenant,
      key,
      // A response that was stored for other clients is not that to this request.
      text: JSON.stringify([route.path, inputs, ...(caller.clients === null ? [] : [caller.clients.toSorted()])]),
      errors: route.errors,
    });
  }

  private constructor(use: KeyUse) {
    this.#use = use;
    this.#fingerprint = hash('sha256', use.text, 'base64url');
    this.#remembered = use.tenant.deduplication<Remembered>('REQUEST', use.caller.id);
  }

  /**
   * Whether this container has seen the key before: then its response is probably stored, and the operation need not
   * run.
   */
  get isProbablyRepeated(): boolean {
    return this.#remembered.isProbablyKnown(this.#use.key);
  }

  /**
   * The response stored under this key. Fields that the caller may not see now are null.
   * @throws Problem `idempotency-key-reused` when the key was used for another request; `gone` when the organization of
   *   the response was erased
   */
  async earlierResponse(): Promise<APIGatewayProxyResult | undefined> {
    const { key } = this.#use;
    const found = await this.#remembered.recall(key);
    if (found === undefined) return undefined;
    const decrypted =
      found.organization === undefined
        ? await (await environmentEncryption()).decrypt(found.encrypted, this.#contextIn(this.#use.tenant))
        : await this.#decryptOf(this.#organization(found.organization), found.encrypted);
    const { fingerprint, answer, asker: firstCaller } = JSON.parse(unpacked(decrypted)) as Kept;
    if (fingerprint !== this.#fingerprint) throw keyReused();
    const { headers, ...shown } = withoutFields(answer, await this.#hiddenFields(firstCaller));
    return { ...shown, headers: { ...headers, 'Idempotent-Replayed': 'true' } };
  }

  /** @throws Problem `gone` once the organization is being erased */
  async #decryptOf(organization: Tenant, encrypted: string): Promise<string> {
    const encryption = await environmentEncryption();
    const decrypting = encryption.decrypt(encrypted, this.#contextIn(organization), (name) =>
      dataKeyCache(organization, { name }),
    );
    const [suspension, decrypted] = await Promise.all([
      readSuspension(organization, true),
      decrypting.catch((error: unknown) => {
        if (error instanceof StoredKeyGone) return undefined;
        throw error;
      }),
    ]);
    const isErased = suspension !== undefined && suspension.state !== 'suspended';
    if (isErased || decrypted === undefined) throw this.#gone();
    return decrypted;
  }

  /** An organization that a request names must exist: otherwise the response is a 404, before the key is looked up. */
  #gone(): Problem {
    return this.#use.errors.includes('gone')
      ? new Problem('gone', { detail: 'The organization of what this request created was erased.' })
      : new Problem('not-found', { detail: 'org_id names an organization that does not exist.' });
  }

  async #hiddenFields(firstCaller: FirstCaller | undefined): Promise<string[]> {
    const { contract, caller, tenant } = this.#use;
    const { fieldPermissions = {}, shownOnce = [] } = contract;
    const forbidden = Object.entries(fieldPermissions).flatMap(([field, code]) => (mayDo(caller, code) ? [] : [field]));
    const isShownAgain = shownOnce.length === 0 || (await isStillFirstCaller(firstCaller, caller, tenant.session));
    return isShownAgain ? forbidden : [...forbidden, ...shownOnce];
  }

  /** Stages the response under this key. */
  async remember(answer: APIGatewayProxyResult): Promise<void> {
    const { statusCode, headers, body } = answer;
    const { contract, caller, key } = this.#use;
    const firstCaller =
      contract.shownOnce === undefined ? {} : { asker: firstCallerOf(caller, this.#shownIn(JSON.parse(body))) };
    const kept: Kept = { fingerprint: this.#fingerprint, answer: { statusCode, headers, body }, ...firstCaller };
    this.#remembered.remember(
      key,
      await this.#encrypted(packed(JSON.stringify(kept))),
      LIFETIME,
      () => new StaleRead('the idempotency key was used meanwhile'),
    );
  }

  async #encrypted(text: string): Promise<Remembered> {
    const { caller, tenant } = this.#use;
    const encryption = await environmentEncryption();
    const changed = caller.orgId === null ? tenant.session.changes.organization : undefined;
    if (changed === undefined) return { encrypted: await encryption.encrypt(text, this.#contextIn(tenant)) };
    const organization = this.#organization(changed);
    const place = this.#contextIn(organization);
    const encrypted = await encryption.encryptUnderStoredKey(text, place, dataKeyCache(organization));
    return { encrypted, organization: organization.id };
  }

  /** The organization that a platform caller's request has changed: such a caller may act in any. */
  #organization(id: string): Tenant {
    const { caller, tenant } = this.#use;
    const organization = Tenant.named(id, caller, tenant.session);
    if (organization === undefined) throw new Error('a response of another organization is stored under this key');
    return organization;
  }

  /** The integration whose secret a response shows. A record that names no organization is of the request's tenant. */
  #shownIn({ org_id, app_code }: { org_id?: string | null; app_code: string }): FirstCaller['shown'] {
    return { orgId: org_id === undefined ? this.#use.tenant.orgId : org_id, appCode: app_code };
  }

  #contextIn(tenant: Tenant) {
    const { caller, key } = this.#use;
    return { tenant: tenant.id, record: `request/${caller.id}/${key}` };
  }
}

const keyReused = (): Problem =>
  new Problem('idempotency-key-reused', {
    detail:
      'This Idempotency-Key was used for another path or body within a day. Give each thing to create a key of its ' +
      'own.',
  });

/** Longer responses are compressed, so that they fit into an item whenever their record does. In characters. */
const LONG = 16_384;
const COMPRESSED = 'deflate:';

const packed = (json: string): string =>
  json.length < LONG ? json : `${COMPRESSED}${deflateRawSync(json).toString('base64')}`;

const unpacked = (text: string): string =>
  text.startsWith(COMPRESSED) ? inflateRawSync(Buffer.from(text.slice(COMPRESSED.length), 'base64')).toString() : text;

/**
 * The caller that first used an idempotency key, kept for responses that contain an integration's secret. If such a
 * response was lost, the secret is shown again only to the same token, and only while its caller may still make the
 * request (`docs/decisions/0060`).
 */
export interface FirstCaller {
  readonly tokenId: string | null;
  readonly permissions: Credentials['permissions'];
  /** The integration whose secret was shown. */
  readonly shown: Pick<IntegrationCaller, 'orgId' | 'appCode'>;
}

export const firstCallerOf = ({ tokenId, permissions }: Caller, shown: FirstCaller['shown']): FirstCaller => ({
  tokenId,
  permissions: permissions && [...permissions],
  shown,
});

/**
 * Whether this is the first caller, its token has not ended, and it has all permissions that it had then and all that
 * the integration whose secret is shown has now. Strongly consistent reads in parallel.
 */
export async function isStillFirstCaller(
  firstCaller: FirstCaller | undefined,
  caller: Caller,
  session: RequestSession,
): Promise<boolean> {
  if (firstCaller === undefined || firstCaller.tokenId === null || firstCaller.tokenId !== caller.tokenId) return false;
  const { orgId, appCode } = firstCaller.shown;
  const owner = orgId === null ? Tenant.of(caller, session) : Tenant.named(orgId, caller, session);
  const [held, shown] = await Promise.all([
    readHeld(caller, session, session.now),
    owner && readCredentialsOf(owner, appCode),
  ]);
  if (shown === undefined || held === undefined) return false;
  return includeAll(held, allOf(firstCaller.permissions, shown.permissions));
}
