import { setTimeout as sleep } from 'node:timers/promises';
import { MAIL_SERVICES, type MailService } from '@/lib/mail/operations';
import { beginChange, endChange, type ServiceChange } from '../configuration/journal';
import type { Installation } from '../installation';
import type { ServiceControl } from '../services/control';
import type { Operation, Outcome, Report, Run } from './operation';

const TITLES: Record<MailService, string> = {
  redis: 'Redis',
  rspamd: 'Rspamd',
  dovecot: 'Dovecot',
  postfix: 'Postfix',
};

/** A reload takes effect a moment after its command. */
const SETTLE_MS = 1_000;

type Parts = { read: () => Installation; control: ServiceControl };

export async function reloadServices(
  { control }: Parts,
  { service, dryRun }: Operation,
  { report, signal }: Run,
): Promise<Outcome> {
  const services = (service ? [service] : MAIL_SERVICES).filter((each) => each !== 'redis');
  if (!service) report('output', 'Redis reads its configuration only at start, so it isn’t reloaded.');
  if (dryRun) return wouldDo('reload', services);
  const failed: MailService[] = [];
  for (const each of services) {
    if (signal.aborted) return stopped(failed);
    if (!(await changeService(control, { service: each, how: 'reload' }, report))) failed.push(each);
  }
  return outcomeOf('Reloaded', services, failed);
}

/** Stops the services in reverse order, so that no mail is accepted that can't be processed, and starts them again. */
export async function restartServices(
  { control, read }: Parts,
  { id, service, dryRun }: Operation,
  { report, signal }: Run,
): Promise<Outcome> {
  const services = service ? [service] : [...MAIL_SERVICES];
  if (dryRun) return wouldDo('restart', services);
  if (signal.aborted) return stopped([]);
  const { config, settings } = read();
  const changes = services.map((each) => ({ service: each, how: 'restart' as const }));
  await beginChange(config, { operationId: id, services: changes, files: [] });
  const failed = await restartAll(control, services, report);
  await endChange(config, settings);
  return outcomeOf('Restarted', services, failed);
}

/** @returns the services that don't run or don't respond now */
async function restartAll(
  control: ServiceControl,
  services: readonly MailService[],
  report: Report,
): Promise<MailService[]> {
  const output = { onLine: (line: string) => report('output', line) };
  const failed = new Set<MailService>();
  for (const service of inOrder(services).reverse()) {
    report('step', `Stopping ${TITLES[service]}`);
    await attempt(report, () => control.stop(service, output));
  }
  for (const service of inOrder(services)) {
    report('step', `Starting ${TITLES[service]}`);
    const isUp = await attempt(report, async () => {
      await control.start(service, output);
      await control.waitUntilUp(service);
      report('output', `${TITLES[service]} responds`);
    });
    if (!isUp) failed.add(service);
  }
  return [...failed];
}

/** Reloads or restarts services, each in the way it needs. @returns those that don't respond now */
export async function changeServices(
  control: ServiceControl,
  changes: readonly ServiceChange[],
  report: Report,
): Promise<MailService[]> {
  const restarted = changes.filter(({ how }) => how === 'restart').map(({ service }) => service);
  const failed = await restartAll(control, restarted, report);
  for (const change of changes) {
    if (change.how === 'reload' && !(await changeService(control, change, report))) failed.push(change.service);
  }
  return failed;
}

async function changeService(
  control: ServiceControl,
  { service, how }: ServiceChange,
  report: Report,
): Promise<boolean> {
  if (how === 'restart') return (await restartAll(control, [service], report)).length === 0;
  report('step', `Reloading ${TITLES[service]}`);
  return attempt(report, async () => {
    await control.reload(service, { onLine: (line) => report('output', line) });
    await sleep(SETTLE_MS);
    await control.waitUntilUp(service);
    report('output', `${TITLES[service]} responds`);
  });
}

async function attempt(report: Report, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    for (const line of messageOf(error).split('\n')) report('error', line);
    return false;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function inOrder(services: readonly MailService[]): MailService[] {
  return MAIL_SERVICES.filter((service) => services.includes(service));
}

export function namesOf(services: readonly MailService[]): string {
  return inOrder(services)
    .map((service) => TITLES[service])
    .join(', ');
}

function outcomeOf(done: string, services: readonly MailService[], failed: MailService[]): Outcome {
  if (failed.length === 0) return { state: 'succeeded', message: `${done} ${namesOf(services)}.` };
  return {
    state: 'failed',
    message: `${namesOf(failed)} doesn’t respond. The output has the reason; the logs are in DATA_DIR/log.`,
  };
}

function wouldDo(verb: string, services: readonly MailService[]): Outcome {
  return { state: 'succeeded', message: `Would ${verb} ${namesOf(services)}. Nothing was changed.` };
}

function stopped(failed: MailService[]): Outcome {
  return {
    state: 'interrupted',
    message: `The mail agent was stopped.${failed.length > 0 ? ` ${namesOf(failed)} doesn’t respond.` : ''}`,
  };
}
