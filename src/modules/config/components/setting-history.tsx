'use client';

import { Button, Modal } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { DialogFields } from '@/components/dialogs/dialog';
import { IconArrowBackUp } from '@/components/icons/icons';
import { DateTime } from '@/components/values/date-time';
import type { Setting } from '../schema';
import classes from './config-page.module.css';
import { isSameValue, type SettingValue, valueText } from './setting-value';

type OnRestore = (value: SettingValue | null) => void;
type SettingHistoryProps = {
  setting: Setting;
  opened: boolean;
  onClose: () => void;
  /** Enters a former value as a change to be reviewed; null for the default. */
  onRestore: OnRestore;
};

const SHOWN = 50;

export function SettingHistory({ setting, opened, onClose, onRestore }: SettingHistoryProps) {
  const isMounted = useMounted();
  return (
    <Modal opened={opened && isMounted} onClose={onClose} title={`History of ${setting.key}`} yOffset={72}>
      <DialogFields>
        <Changes setting={setting} onRestore={onRestore} />
      </DialogFields>
    </Modal>
  );
}

function Changes({ setting, onRestore }: { setting: Setting; onRestore: OnRestore }) {
  const { key, unit } = setting;
  const history = trpc.config.history.useQuery({ key, limit: SHOWN });
  if (history.isError)
    return <ErrorState what="the history" error={history.error} onRetry={() => void history.refetch()} />;
  if (!history.data) return <p className="soft">Loading…</p>;
  const { items, pagination } = history.data;
  if (items.length === 0) return <p className="soft">It was never changed here.</p>;
  return (
    <>
      <ol className={classes.changes}>
        {items.map(({ id, before, after, at, changed_by: by }) => (
          <li key={id}>
            <h3>
              <DateTime iso={at} /> by {by.email}
            </h3>
            <del>{before === null ? 'Default' : valueText(before, unit)}</del>
            <ins>{after === null ? 'Default' : valueText(after, unit)}</ins>
            {!isSameValue(before ?? setting.default, setting.value) && (
              <div>
                <Button size="xs" leftSection={<IconArrowBackUp stroke={1.5} />} onClick={() => onRestore(before)}>
                  Restore {before === null ? 'the default' : valueText(before, unit)}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ol>
      {pagination.has_more && <p className="soft">These are the last {SHOWN} changes.</p>}
    </>
  );
}
