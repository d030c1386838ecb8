import type { Locator } from '@playwright/test';
import { type HttpsReceiver, startHttpsReceiver } from '../../../src/test/servers/https-receiver';
import type { Api } from '../../support/fixtures';

type Webhook = { id: string; url: string; secret: string };
type Endpoint = HttpsReceiver & { status: number };

const UNREACHABLE = 'https://localhost:1/hook';

export const makeWebhook = (api: Api, over: object = {}) =>
  api.call<Webhook>('POST', '/webhooks', { url: UNREACHABLE, events: ['mail.failed'], ...over });

/** An https endpoint with a certificate that the app trusts. Responds with its current `status`. */
export async function startEndpoint(status = 200): Promise<Endpoint> {
  const answer = () => ({
    status: endpoint.status,
    body: endpoint.status === 204 ? undefined : 'Response of the endpoint',
  });
  const certificate = JSON.parse(process.env.E2E_CERTIFICATE as string);
  const receiver = await startHttpsReceiver({ handler: answer, certificate });
  const endpoint = Object.assign(receiver, { status, url: `https://localhost:${receiver.port}/hook` });
  return endpoint;
}

export const openerOf = (row: Locator) => row.getByRole('button', { name: /^Attempts for / });
