import {
  CONFIGURED_SERVICES,
  type ConfiguredService,
  type CustomFile,
  type DriftedFile,
  MAIL_SERVICES,
  type MailService,
} from '@/lib/mail/operations';
import { compareConfiguration, ownerOf, withoutContent } from '../configuration/compare';
import { generateConfiguration } from '../configuration/generate';
import type { Installation } from '../installation';
import { probeService } from './probe';
import { findProcess, findVersion, type ServiceProcess } from './processes';

/** The agent's report on a service, or on itself. */
export type ServiceReport = {
  service: ConfiguredService;
  state: 'running' | 'not_responding' | 'stopped';
  /** Why it doesn't respond; empty otherwise. */
  message: string;
  version: string | null;
  process: ServiceProcess | null;
  /** Null if it isn't known, with the reason. */
  drift: DriftedFile[] | null;
  driftMessage: string;
  /** The operator's own settings of the service. */
  custom: CustomFile[];
};

type Status = Omit<ServiceReport, 'service' | 'drift' | 'driftMessage' | 'custom'>;
type Drift = { files: DriftedFile[] | null; message: string; custom: CustomFile[] };

// Each probe is a connection in the logs, so a service that responds is probed rarely. Its process is looked at each time.
const PROBE_EVERY_MS = 30_000;
const COMPARE_EVERY_MS = 60_000;

export type ServiceWatch = {
  look: () => Promise<ServiceReport[]>;
  /** Makes the next look check everything, after an operation. The version of a process stays what it was. */
  forget: () => void;
};

/** Watches the services of a mail server and the files of their configuration. */
export function createServiceWatch(
  read: () => Installation,
  { deploy, agent }: { deploy: string; agent: { version: string; process: ServiceProcess } },
): ServiceWatch {
  const known = new Map<MailService, { status: Status; probedAt: number }>();
  let compared: { drift: Drift; at: number } | null = null;
  /** A look keeps nothing that it finds if all was forgotten after it began. */
  let timesForgotten = 0;

  async function statusOf(service: MailService): Promise<Status> {
    const begun = timesForgotten;
    const process = await findProcess(read(), service);
    const before = known.get(service);
    const isSame = before?.status.process?.startedAt.getTime() === process?.startedAt.getTime();
    const isRecent = before !== undefined && performance.now() - before.probedAt < PROBE_EVERY_MS;
    if (before?.status.state === 'running' && isSame && isRecent) return before.status;
    const version = (isSame && before?.status.version) || (await findVersion(service));
    const status = process
      ? { ...(await probe(read(), service)), version, process }
      : { state: 'stopped' as const, message: '', version, process };
    if (begun === timesForgotten) known.set(service, { status, probedAt: performance.now() });
    return status;
  }

  async function currentDrift(): Promise<Drift> {
    if (compared && performance.now() - compared.at < COMPARE_EVERY_MS) return compared.drift;
    const begun = timesForgotten;
    const drift = await findDrift(read(), deploy);
    if (begun === timesForgotten) compared = { drift, at: performance.now() };
    return drift;
  }

  return {
    async look() {
      const drift = await currentDrift();
      const statuses = await Promise.all(
        MAIL_SERVICES.map(async (service) => [service, await statusOf(service)] as const),
      );
      const byService = new Map<ConfiguredService, Status>(statuses);
      byService.set('agent', { state: 'running', message: '', ...agent });
      return CONFIGURED_SERVICES.flatMap((service) => {
        const status = byService.get(service);
        const files = drift.files?.filter(({ path }) => ownerOf(path) === service) ?? null;
        const custom = drift.custom.filter((name) => name.split('-')[0] === service);
        return status ? { service, ...status, drift: files, driftMessage: drift.message, custom } : [];
      });
    },
    forget() {
      timesForgotten += 1;
      for (const [service, { status }] of known) known.set(service, { status, probedAt: Number.NEGATIVE_INFINITY });
      compared = null;
    },
  };
}

async function probe(installation: Installation, service: MailService): Promise<Pick<Status, 'state' | 'message'>> {
  try {
    await probeService(installation, service);
    return { state: 'running', message: '' };
  } catch (error) {
    return { state: 'not_responding', message: error instanceof Error ? error.message : String(error) };
  }
}

async function findDrift({ settings, config }: Installation, deploy: string): Promise<Drift> {
  try {
    const { files, custom } = await generateConfiguration(deploy, settings, config);
    return { files: withoutContent(await compareConfiguration(config, files)), message: '', custom };
  } catch (error) {
    return { files: null, message: error instanceof Error ? error.message : String(error), custom: [] };
  }
}
