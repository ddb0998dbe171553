import { setTimeout as sleep } from 'node:timers/promises';
import { issueToken, ThrottledLogin, TOKEN_TIMES } from '#auth';
import { Problem } from '#contract';
import { type Operations, refuseSuspended } from '#http';
import { type RequestSession, Tenant } from '#table';
import { annotate } from '#telemetry';
import { findIntegration } from '#tenancy';
import * as integrationSecrets from '../integrations/secrets.ts';
import type { auth } from './contract.ts';

/**
 * Least time of a refused login since its request began, in milliseconds: otherwise a known app code could be
 * recognized by the time of the response. The refusal of a known code is recorded, and a container that knows the code
 * reads in one round trip, even where the caller has to wait (429).
 */
const REFUSAL_TIME = 200;

const restOf = (time: number, { now, clock }: RequestSession): number =>
  Math.min(Math.max(now + time - clock(), 0), time);

type Login = Operations<typeof auth>['login'];

const NOBODY: Partial<NonNullable<Awaited<ReturnType<typeof findIntegration>>>> = {};

export const authOperations: Operations<typeof auth> = {
  login: async (input) => {
    try {
      return await logIn(input);
    } catch (error) {
      await sleep(restOf(REFUSAL_TIME, input.session));
      throw error;
    }
  },
};

const logIn: Login = async (input) => ({
  body: {
    access_token: await issueToken(authenticate(input), input.session.now),
    token_type: 'bearer',
    expires_in: TOKEN_TIMES.lifetime,
  },
  headers: { 'Cache-Control': 'no-store' },
});

/** @throws Problem where the caller is not who it says, must wait or is suspended */
async function authenticate({ body, session, request }: Parameters<Login>[0]) {
  const [{ credentials, suspension } = NOBODY, attempt] = await Promise.all([
    findIntegration(session, body.app_code),
    ThrottledLogin.begin(session, 'login', body.app_code, request.sourceAddress),
  ]);
  attempt.requireNoWait();
  // Compares even for an unknown app code, so that every failure takes the same time.
  const secret = integrationSecrets.find(credentials?.secrets ?? [], body.secret, session.now);
  if (credentials === undefined || secret === undefined || credentials.status !== 'active') {
    await attempt.fail(credentials);
    throw invalidCredentials();
  }
  refuseSuspended({ id: credentials.tenant }, suspension);
  await attempt.succeed();

  const { orgId } = Tenant.ofCredentials(credentials, session);
  const { integration_id: integrationId, app_code: appCode, token_epoch: tokenEpoch = 0 } = credentials;
  annotate({ integration_id: integrationId, tenant: credentials.tenant });
  return { integrationId, appCode, orgId, tokenEpoch, secretId: secret.id ?? null };
}

const invalidCredentials = (): Problem =>
  new Problem('invalid-credentials', {
    detail:
      'Send the app code of an active integration and its whole secret: it begins with cst_, unless you have ' +
      'chosen it.',
  });
