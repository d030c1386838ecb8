import { systemClock } from '@/server/clock';
import { database } from '@/server/db';
import { postOnce } from '@/server/outbound/post';
import { env } from '@/server/settings/env';
import { createDeliverer, type Deliverer } from './deliverer';

// Next loads instrumentation and routes as separate bundles. The deliverer's limits need one instance per process.
const shared = globalThis as typeof globalThis & { postroomDeliverer?: Deliverer };

export function deliverer(): Deliverer {
  shared.postroomDeliverer ??= createDeliverer({
    db: database(),
    post: (request) => postOnce(request, { allowPrivateNetworks: env().webhookAllowPrivateNetworks }),
    now: systemClock.now,
  });
  return shared.postroomDeliverer;
}

/** The deliverer if this process has started one. */
export function runningDeliverer(): Deliverer | undefined {
  return shared.postroomDeliverer;
}
