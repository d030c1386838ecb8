import { CONFIGURED_SERVICES, type ConfiguredService } from '@/lib/mail/operations';
import type { Perform } from '@/mail/agent/operations/operation';
import type { ServiceReport } from '@/mail/agent/services/watch';

const VERSIONS: Record<Exclude<ConfiguredService, 'agent'>, string> = {
  redis: '7.0.15',
  rspamd: '3.4',
  dovecot: '2.3.19.1',
  postfix: '3.7.11',
};
const servicesStartedAt = new Date(Date.now() - 9 * 86_400_000);
const agentStartedAt = new Date(Date.now() - process.uptime() * 1_000);

/** Services as a mail server's agent reports them, one of them with a file that was edited. */
export function servicesInDemo(agentVersion: string): ServiceReport[] {
  return CONFIGURED_SERVICES.map((service, index) => ({
    service,
    state: 'running',
    message: '',
    version: service === 'agent' ? agentVersion : VERSIONS[service],
    process: { pid: 700 + index, startedAt: service === 'agent' ? agentStartedAt : servicesStartedAt },
    drift: service === 'postfix' ? [{ path: 'postfix/main.cf', kind: 'changed' }] : [],
    driftMessage: '',
    custom: service === 'rspamd' ? ['rspamd' as const] : [],
  }));
}

/** There is nothing to operate on. */
export const performInDemo: Perform = async ({ action, service }, { report }) => {
  report('step', `The demo has no mail server, so ${service ? `${action} of ${service}` : action} does nothing.`);
  return { state: 'succeeded', message: 'Nothing was changed: the demo has no mail server.' };
};
