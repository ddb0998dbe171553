import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { contracts } from '../../functions/all-contracts.ts';
import { sign } from '../../functions/webhooks/signature.ts';
import { altered } from '../support/altered.ts';
import { conformance, GATEWAY_STATUSES } from '../support/conformance.ts';
import { Corpus } from './corpus.ts';
import { type FuzzRequest, requests } from './requests.ts';
import { type Received, send, type Wire } from './send.ts';

/**
 * Sends generated requests to a running API. Every response must be one that the OpenAPI document and the contracts declare, and
 * none may be a 5xx. What requests cost is held by tests that count work (`test/contract/linear-work.sampled.test.ts`).
 */
export interface FuzzOptions {
  readonly url: string;
  /** A platform caller, by its token or by what it logs in with. */
  readonly platform: { readonly token: string } | { readonly appCode: string; readonly secret: string };
  readonly seed: number;
  /** Stops after so many requests or seconds, whatever comes first. */
  readonly maxRequests: number;
  readonly maxSeconds: number;
  /** Called now and then with the number of requests sent. */
  readonly onProgress?: (sent: number, findings: number) => void;
}

export interface Finding {
  readonly index: number;
  readonly why: string;
  readonly request: string;
}

export interface FuzzReport {
  readonly sent: number;
  readonly byStatus: ReadonlyMap<number, number>;
  /** Operations that succeeded at least once. */
  readonly succeeded: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

const AT_A_TIME = 16;
const BATCH = 400;
/** Further statuses for a path or method that is no longer the operation's. */
const ELSEWHERE = [404, 405];
/** A run that has found so much need not go on. */
const ENOUGH_FINDINGS = 25;

interface Org {
  readonly token: string;
  readonly appCode: string;
  readonly secret: string;
}

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const run = new Run(options);
  await run.prepare();
  const end = Date.now() + options.maxSeconds * 1000;
  for (let batch = 0; run.sent < options.maxRequests && Date.now() < end; batch++) {
    const some = fc.sample(requests, { seed: options.seed + batch, numRuns: BATCH });
    for (let at = 0; at < some.length && run.sent < options.maxRequests && Date.now() < end; at += AT_A_TIME) {
      if (run.findings.length >= ENOUGH_FINDINGS) return run;
      await Promise.all(some.slice(at, at + AT_A_TIME).map((request) => run.play(request)));
      options.onProgress?.(run.sent, run.findings.length);
      if (run.isShutOut) await run.renew();
    }
  }
  return run;
}

class Run implements FuzzReport {
  sent = 0;
  readonly byStatus = new Map<number, number>();
  readonly succeeded = new Set<string>();
  readonly findings: Finding[] = [];
  /** The run has made its own integration inactive, or taken its budget. */
  isShutOut = false;
  readonly #options: FuzzOptions;
  readonly #check = conformance(contracts);
  #platform = '';
  #org: Org = { token: '', appCode: '', secret: '' };
  /** Id of the platform's integration: without it the run could go no further. */
  #spared = '';
  #corpus = new Corpus('');

  constructor(options: FuzzOptions) {
    this.#options = options;
  }

  async prepare(): Promise<void> {
    const { platform } = this.#options;
    this.#platform = 'token' in platform ? platform.token : await this.#login(platform.appCode, platform.secret);
    const [, claims = ''] = this.#platform.split('.');
    this.#spared = String(JSON.parse(Buffer.from(claims, 'base64url').toString()).sub);
    await this.renew();
  }

  /** Makes a new organization to act for. */
  async renew(): Promise<void> {
    const suffix = randomUUID();
    const appCode = `fuzz-${suffix}`;
    const orgId = await this.#create('/api/v1/orgs', { name: 'Fuzz', slug: `fuzz-${suffix}` }, 'id');
    const secret = await this.#create(
      '/api/v1/integrations',
      { org_id: orgId, app_code: appCode, display_name: 'Fuzz' },
      'secret',
    );
    this.#org = { token: await this.#login(appCode, secret), appCode, secret };
    this.#corpus = new Corpus(this.#spared);
    this.#corpus.add('orgs', orgId);
    this.#corpus.add('own_org', orgId);
    this.#corpus.add('app_codes', appCode);
    this.#corpus.add('secrets', secret);
    this.isShutOut = false;
  }

  /** Sends a request, as often at once as it says. */
  async play(request: FuzzRequest): Promise<void> {
    const wire = this.#wireOf(request);
    await Promise.all(Array.from({ length: request.copies }, () => this.#once(request, wire)));
  }

  async #once(request: FuzzRequest, wire: Wire): Promise<void> {
    const index = this.sent++;
    try {
      const response = await send(this.#options.url, wire);
      this.byStatus.set(response.status, (this.byStatus.get(response.status) ?? 0) + 1);
      const why = this.#complaint(request, wire, response);
      if (why !== undefined) this.#report(index, wire, why);
      if (response.status < 300 && calledMethod(wire) === request.operation.method) {
        this.succeeded.add(request.operation.operationId);
        if (request.caller === 'org') this.#corpus.learn(request.operation.path, response.body);
      }
      const isWellMeant = request.caller === 'org' && wire.headers.authorization === `Bearer ${this.#org.token}`;
      if (isWellMeant && [401, 429].includes(response.status) && request.operation.operationId !== 'login')
        this.isShutOut = !request.operation.isSigned;
    } catch (error) {
      this.#report(index, wire, `no answer: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #complaint({ operation }: FuzzRequest, wire: Wire, { status, headers, body }: Received): string | undefined {
    if (status >= 500) return `answered ${status} ${JSON.stringify(body)}`;
    const method = calledMethod(wire);
    // Whatever method it is taken for, HTTP leaves the body of its response out.
    if (wire.method === 'HEAD' && method !== 'HEAD') return undefined;
    if (method === operation.method && ![...operation.statuses, ...GATEWAY_STATUSES, ...ELSEWHERE].includes(status)) {
      return `answered ${status}, which openapi.json does not have`;
    }
    try {
      this.#check({ method, path: wire.path, status, headers, body });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #report(index: number, { method, path, headers, body }: Wire, why: string): void {
    const shown = {
      method,
      path,
      headers: { ...headers, authorization: undefined },
      body: body?.toString('latin1').slice(0, 600),
    };
    this.findings.push({ index, why: why.slice(0, 1_500), request: JSON.stringify(shown).slice(0, 2_500) });
  }

  #wireOf({ method, path, headers, caller, body, signs }: FuzzRequest): Wire {
    const filled = body === undefined || body.length > 100_000 ? body : this.#filledBody(body);
    const tokens = {
      org: this.#org.token,
      platform: this.#platform,
      nobody: undefined,
      forged: altered(this.#org.token),
    };
    const token = tokens[caller];
    return {
      method,
      path: this.#corpus.fill(path.replace(/~app_codes\.\d*[02468]~/, this.#org.appCode)),
      headers: {
        ...headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(signs ? { 'x-signature': sign(filled ?? Buffer.alloc(0), this.#org.secret) } : {}),
        ...(filled === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': String(filled.length) }),
      },
      body: filled,
    };
  }

  /** As latin-1, so that bytes that are no UTF-8 stay what they are. */
  #filledBody(body: Buffer): Buffer {
    return Buffer.from(this.#corpus.fill(body.toString('latin1')), 'latin1');
  }

  #login(app_code: string, secret: string): Promise<string> {
    return this.#create('/api/v1/auth/login', { app_code, secret }, 'access_token');
  }

  async #create(path: string, fields: object, wanted: string): Promise<string> {
    const headers = {
      'content-type': 'application/json',
      ...(this.#platform === '' ? {} : { authorization: `Bearer ${this.#platform}` }),
    };
    const { status, body } = await send(this.#options.url, {
      method: 'POST',
      path,
      headers,
      body: Buffer.from(JSON.stringify(fields)),
    });
    const value = (body as Record<string, unknown>)[wanted];
    if (typeof value !== 'string')
      throw new Error(`the fuzz run cannot go on: POST ${path} answered ${status} ${JSON.stringify(body)}`);
    return value;
  }
}

/** The method that a request counts for, here as in AWS (`docs/local-gateway.md`). */
const calledMethod = ({ method, headers }: Wire): string => headers['x-http-method-override'] ?? method;
