import { systemClock } from '@/server/clock';
import { database } from '@/server/database/db';
import { keptConnections } from '@/server/outbound/connections';
import { requestOnce } from '@/server/outbound/request';
import { processWide } from '@/server/process-wide';
import { env } from '@/server/settings/env';
import { createDeliverer, type Deliverer } from './deliverer';
import { MAX_ATTEMPTS } from './lanes/lanes';

// The deliverer's limits hold for the process.
const shared = processWide<Deliverer>('deliverer');

export function deliverer(): Deliverer {
  shared.current ??= startDeliverer();
  return shared.current;
}

function startDeliverer(): Deliverer {
  // Fewer would be closed after each burst of attempts, and opened again for the next one.
  const connections = keptConnections({ maxIdle: MAX_ATTEMPTS });
  return createDeliverer({
    db: database(),
    post: (request) => requestOnce(request, { allowPrivateNetworks: env().webhookAllowPrivateNetworks, connections }),
    now: systemClock.now,
  });
}

/** The deliverer if this process has started one. */
export function runningDeliverer(): Deliverer | undefined {
  return shared.current;
}
