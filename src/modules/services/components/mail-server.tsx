'use client';

import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { IconChevronDown } from '@/components/icons/icons';
import { Notice } from '@/components/layout/notice';
import { SectionHeading } from '@/components/layout/section-heading';
import { ExportItem } from '@/components/list/export-csv';
import type { ConfiguredService, DriftedFile, ServiceOperation } from '@/lib/mail/operations';
import { serviceList } from '../lists';
import type { MailServiceStatus, Relay } from '../schema';
import { type Request, SERVICE_TITLES } from './operation-texts';
import { RelaySection } from './relay-section';
import { serviceColumns } from './service-columns';

type MailServerProps = {
  host: string;
  services: MailServiceStatus[];
  relay: Relay | null;
  isSandbox: boolean;
  /** Whether an operation is running. */
  isBusy: boolean;
  onAsk: (request: Request) => void;
  onPreview: (request: Request) => void;
  onOpen: (operationId: string) => void;
};

/** The services of one mail server, and what can be done with all of them. */
export function MailServer({ host, services, relay, isSandbox, isBusy, onAsk, onPreview, onOpen }: MailServerProps) {
  const [shown, setShown] = useState<ConfiguredService | null>(null);
  const isAttached = services.some(({ state }) => state !== 'unknown');
  const isDisabled = isBusy || !isAttached;
  const preview = () => onPreview({ action: 'apply_config', service: null, host });
  const ask = (action: ServiceOperation) => onAsk({ action, service: null, host });
  const [settingsProblem] = services.flatMap(({ drift_message: message }) => message || []);
  const columns = serviceColumns({
    isDisabled,
    shown,
    onAct: (action, service) => onAsk({ action, service, host }),
    onShowFiles: (service) => setShown(service === shown ? null : service),
  });

  return (
    <section aria-label={host}>
      <SectionHeading title={<span className="mono">{host}</span>}>
        <span className="spacer" />
        <Button disabled={isDisabled} onClick={preview}>
          Preview configuration
        </Button>
        <Button disabled={isDisabled} onClick={() => ask('apply_config')}>
          Apply configuration
        </Button>
        <Menu>
          <Menu.Target>
            <Button disabled={isBusy} rightSection={<IconChevronDown stroke={1.5} />}>
              More actions
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item disabled={isDisabled} onClick={() => ask('reload')}>
              Reload all…
            </Menu.Item>
            <Menu.Item disabled={isDisabled} onClick={() => ask('rebuild_maps')}>
              Rebuild maps…
            </Menu.Item>
            <Menu.Item disabled={isDisabled} onClick={() => ask('renew_certificates')}>
              Renew certificates…
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item className="danger" disabled={isDisabled} onClick={() => ask('restart')}>
              Restart all…
            </Menu.Item>
            <Menu.Divider />
            <ExportItem list={serviceList}>Export services as CSV</ExportItem>
          </Menu.Dropdown>
        </Menu>
      </SectionHeading>
      {settingsProblem && (
        <Notice status="warning" title="The settings file has errors">
          <p>{settingsProblem}</p>
          <p>
            The services keep running with the configuration they have. Fix the file on the mail server’s host; it can’t
            be applied before.
          </p>
        </Notice>
      )}
      <DataTable
        caption={`Services of ${host}`}
        columns={columns}
        rows={services}
        rowKey={({ service }) => service}
        expanded={(row) => expandedOf(row, shown, isDisabled ? null : preview)}
      />
      {isAttached && <RelaySection host={host} relay={relay} isSandbox={isSandbox} isBusy={isBusy} onOpen={onOpen} />}
    </section>
  );
}

function expandedOf(row: MailServiceStatus, shown: ConfiguredService | null, onPreview: (() => void) | null) {
  if (row.state === 'not_responding' || row.state === 'stopped') {
    return (
      <p>
        {reasonOf(row)} Restart it. If that doesn’t help, its log in <code>DATA_DIR/log</code> on {row.host} has the
        reason.
      </p>
    );
  }
  return row.service === shown && row.drift ? <DriftedFiles files={row.drift} onPreview={onPreview} /> : null;
}

function reasonOf({ message, service }: MailServiceStatus): string {
  if (message === '') return `${SERVICE_TITLES[service]} is not running.`;
  return message.endsWith('.') ? message : `${message}.`;
}

const KINDS: Record<DriftedFile['kind'], string> = {
  changed: 'differs from what the settings generate',
  missing: 'is missing',
  extra: 'is not generated, but the service reads it. Applying the configuration leaves it alone',
};

/** @param onPreview shows how they differ; null while it can't be asked for */
type DriftedFilesProps = { files: DriftedFile[]; onPreview: (() => void) | null };

/** The files of a service that are not as the settings generate them. */
function DriftedFiles({ files, onPreview }: DriftedFilesProps) {
  return (
    <>
      <ul aria-label="Files">
        {files.map(({ path, kind }) => (
          <li key={path}>
            <code>{path}</code> {KINDS[kind]}
          </li>
        ))}
      </ul>
      <p className="soft">
        The settings or the templates have changed, or somebody has edited the files. Apply configuration puts the
        generated files in place: what was edited by hand is lost.
      </p>
      <div>
        <Button size="xs" disabled={!onPreview} onClick={() => onPreview?.()}>
          Show the difference
        </Button>
      </div>
    </>
  );
}
