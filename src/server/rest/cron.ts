import { type Clock, systemClock } from '../clock';
import { AppError } from '../errors';
import type { WebRequest, WebResponse } from '../http/fetch-adapter';
import { limitAddress } from '../limits/rate-limit';
import { log } from '../log';
import { createContext } from '../procedures/context';
import { isUnexpected, publicError } from '../public-error';
import { readBearer } from '../secrets/credentials';
import { isSameSecret } from '../secrets/crypto';
import { env } from '../settings/env';
import { failure, success } from './envelope';

/** A route for schedulers, with `Authorization: Bearer <CRON_SECRET>`; it responds in the API's envelope. */
export function createCronHandler(job: () => Promise<object>) {
  return async (request: WebRequest, clock: Clock = systemClock): Promise<WebResponse> => {
    const ctx = createContext(request, clock);
    const { request: caller, response } = ctx;
    const facts = { requestId: caller.id, at: clock.now(), headers: response.headers, isHead: false };
    try {
      await limitAddress(ctx);
      requireCronSecret(request);
      return success(await job(), 200, false, facts);
    } catch (error) {
      const publicErr = publicError(error);
      if (isUnexpected(publicErr)) log.error({ request_id: caller.id, error }, 'cron route failed');
      return failure(publicErr, facts);
    }
  };
}

function requireCronSecret(request: WebRequest): void {
  const { cronSecret } = env();
  const given = readBearer(request.headers.get('authorization') ?? '');
  if (cronSecret && given && isSameSecret(given, cronSecret)) return;
  throw new AppError('AUTH_REQUIRED', 'Send Authorization: Bearer <CRON_SECRET>.');
}
