import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { MAIL_SERVICES, type MailService } from '@/lib/mail/operations';
import type { MailServiceStatus, OperationDetails } from '@/modules/services/schema';
import { keyClient } from '../../rest';
import { mailServer } from './mail-server';

const OPERATION_TIMEOUT = { timeout: 240_000, interval: 200 };
const PID_FILES: Record<MailService, string> = {
  redis: 'run/redis/redis.pid',
  rspamd: 'run/rspamd/rspamd.pid',
  dovecot: 'run/dovecot/master.pid',
  postfix: 'queue/pid/master.pid',
};

const api = await keyClient();

export const pidFileOf = (service: MailService) => `${mailServer.data}/${PID_FILES[service]}`;
export const processOf = (service: MailService) => readFileSync(pidFileOf(service), 'utf8').trim();

/** Starts an operation. @returns its id */
export async function begin(body: object): Promise<string> {
  let id = '';
  await expect
    .poll(async () => {
      const { status, data } = await api.post('/orchestrator/operations', body);
      id = data?.id;
      return status;
    })
    .toBe(202);
  return id;
}

/** Resolves once the operation is finished. */
export async function finished(id: string): Promise<OperationDetails> {
  let operation: OperationDetails | undefined;
  const isFinished = async () => {
    operation = (await api.get(`/orchestrator/operations/${id}`)).data;
    return operation?.finished_at !== null;
  };
  await expect.poll(isFinished, OPERATION_TIMEOUT).toBe(true);
  return operation as OperationDetails;
}

export async function operate(body: object): Promise<OperationDetails> {
  return finished(await begin(body));
}

export const textOf = ({ output }: OperationDetails) => output.map(({ text }) => text).join('\n');

export async function services(): Promise<MailServiceStatus[]> {
  return (await api.get('/orchestrator')).data.services;
}

export async function statesOf(): Promise<Record<string, string>> {
  return Object.fromEntries((await services()).map(({ service, state }) => [service, state]));
}

export const ALL_RUNNING = Object.fromEntries([...MAIL_SERVICES, 'agent'].map((service) => [service, 'running']));
