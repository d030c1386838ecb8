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
import { type Facts, failure, success } from './envelope';

type TokenRoute = {
  /** The setting with the token. */
  setting: string;
  tokenOf: (settings: ReturnType<typeof env>) => string | undefined;
  respond: (request: WebRequest, facts: Facts) => Promise<WebResponse>;
  /** The log line of an error that isn't the caller's. */
  failed: string;
};

/** A route for one program, with `Authorization: Bearer` and a token from the settings. Its errors are in the API's envelope. */
export function createTokenHandler({ setting, tokenOf, respond, failed }: TokenRoute) {
  return async (request: WebRequest, clock: Clock = systemClock): Promise<WebResponse> => {
    const ctx = createContext(request, clock);
    const { request: caller, response } = ctx;
    const isHead = request.method === 'HEAD';
    const facts = { requestId: caller.id, at: clock.now(), headers: response.headers, isHead };
    try {
      await limitAddress(ctx);
      const token = tokenOf(env());
      const given = readBearer(request.headers.get('authorization') ?? '');
      if (!token || !given || !isSameSecret(given, token))
        throw new AppError('AUTH_REQUIRED', `Send Authorization: Bearer <${setting}>.`);
      return await respond(request, facts);
    } catch (error) {
      const publicErr = publicError(error);
      if (isUnexpected(publicErr)) log.error({ request_id: caller.id, error }, failed);
      return failure(publicErr, facts);
    }
  };
}

/** A route that makes schedulers do a job; it responds in the API's envelope. */
export function createCronHandler(job: () => Promise<object>) {
  return createTokenHandler({
    setting: 'CRON_SECRET',
    tokenOf: ({ cronSecret }) => cronSecret,
    respond: async (_, facts) => success(await job(), 200, false, facts),
    failed: 'cron route failed',
  });
}
