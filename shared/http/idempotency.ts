import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { environmentEncryption } from '../auth/environment.ts';
import { Problem } from '../contract/problem.ts';
import { type Contract, type Route, takesIdempotencyKey } from '../contract/route.ts';
import { type Caller, mayDo } from '../identity/caller.ts';
import { StaleRead } from '../table/errors.ts';
import type { DeduplicationStore } from '../table/repository/deduplication-store.ts';
import { Tenant } from '../table/tenant.ts';
import { type Asker, askerOf, isStillAsking } from './asker.ts';
import type { Scope } from './operation.ts';
import type { HttpRequest } from './request.ts';
import { withoutFields } from './response/answer.ts';

/**
 * `Idempotency-Key` on every POST that creates (draft-ietf-httpapi-idempotency-key-header-07). The first answer is remembered in the
 * transaction that creates the record: either both are there or neither. Of two requests at once with one key, the second meets
 * the first's key at its commit and gives the first's answer: as much of it as its own caller may see now.
 */

/** How long a key is remembered, in seconds. */
const LIFETIME = 86_400;

const KEY = /^[\x21-\x7e]{1,255}$/;

interface Remembered {
  /** What is kept as JSON, encrypted: the answer may hold a secret, and a digest of a request that holds a weak one could be guessed at. */
  readonly encrypted: string;
}

interface Kept {
  readonly fingerprint: string;
  readonly answer: Pick<APIGatewayProxyResult, 'statusCode' | 'headers' | 'body'>;
  readonly asker?: Asker;
}

/** What is asked under a key: a route of a contract, by somebody. */
interface Asked {
  readonly contract: Contract;
  readonly caller: Caller;
  readonly tenant: Tenant;
  readonly key: string;
  /** Route and input. */
  readonly text: string;
}

/** One request under an idempotency key. */
export class IdempotentRequest {
  readonly #asked: Asked;
  readonly #fingerprint: string;
  readonly #remembered: DeduplicationStore<Remembered>;

  /**
   * The request's key, where it has one and its route takes them.
   * @param inputs what the request asks for; the same key with other inputs is refused
   * @throws Problem `invalid-parameter`
   */
  static of(
    { contract, route }: { readonly contract: Contract; readonly route: Route },
    request: HttpRequest,
    scope: Scope,
    inputs: unknown,
  ): IdempotentRequest | undefined {
    const key = request.headers.get('idempotency-key');
    const { caller, session } = scope;
    if (key === undefined || caller === undefined || !takesIdempotencyKey(route)) return undefined;
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
      text: JSON.stringify([route.path, inputs]),
    });
  }

  private constructor(asked: Asked) {
    this.#asked = asked;
    this.#fingerprint = createHash('sha256').update(asked.text).digest('base64url');
    this.#remembered = asked.tenant.deduplication<Remembered>(`REQUEST#${asked.caller.integrationId}`);
  }

  /**
   * The answer that this key was given before, without the fields that its caller would not be shown now: they are null.
   * @throws Problem `idempotency-key-reused` when it was given to another request
   */
  async earlierAnswer(): Promise<APIGatewayProxyResult | undefined> {
    const { key } = this.#asked;
    const found = await this.#remembered.recall(key);
    if (found === undefined) return undefined;
    const opened = await (await environmentEncryption()).decrypt(found.encrypted, this.#context);
    const { fingerprint, answer, asker } = JSON.parse(unpacked(opened)) as Kept;
    if (fingerprint !== this.#fingerprint) throw new Problem('idempotency-key-reused');
    const { headers, ...shown } = withoutFields(answer, await this.#hiddenFields(asker));
    return { ...shown, headers: { ...headers, 'Idempotent-Replayed': 'true' } };
  }

  async #hiddenFields(asker: Asker | undefined): Promise<string[]> {
    const { contract, caller, tenant } = this.#asked;
    const { fieldPermissions = {}, shownOnce = [] } = contract;
    const forbidden = Object.entries(fieldPermissions).flatMap(([field, code]) => (mayDo(caller, code) ? [] : [field]));
    const isShownAgain = shownOnce.length === 0 || (await isStillAsking(asker, caller, tenant));
    return isShownAgain ? forbidden : [...forbidden, ...shownOnce];
  }

  /** Stages that this key got this answer. */
  async remember(answer: APIGatewayProxyResult): Promise<void> {
    const { statusCode, headers, body } = answer;
    const { contract, caller, key } = this.#asked;
    const asker = contract.shownOnce === undefined ? {} : { asker: askerOf(caller, JSON.parse(body).app_code) };
    const kept: Kept = { fingerprint: this.#fingerprint, answer: { statusCode, headers, body }, ...asker };
    const encrypted = await (await environmentEncryption()).encrypt(packed(JSON.stringify(kept)), this.#context);
    this.#remembered.remember(key, { encrypted }, LIFETIME, () => new StaleRead('the key was used meanwhile'));
  }

  get #context() {
    const { tenant, caller, key } = this.#asked;
    return { tenant: tenant.id, record: `request/${caller.integrationId}/${key}` };
  }
}

/** An answer longer than this is compressed, so that it fits into an item where its record did. In characters. */
const LONG = 16_384;
const COMPRESSED = 'deflate:';

const packed = (json: string): string =>
  json.length < LONG ? json : `${COMPRESSED}${deflateRawSync(json).toString('base64')}`;

const unpacked = (text: string): string =>
  text.startsWith(COMPRESSED) ? inflateRawSync(Buffer.from(text.slice(COMPRESSED.length), 'base64')).toString() : text;
