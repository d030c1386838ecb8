'use client';

import { parseAsString } from 'nuqs';
import { DialogFields, DialogFrame } from '@/components/dialogs/dialog';
import { useUrlState } from '@/components/url-state';
import { History } from './history';
import { useHistory } from './use-history';

type HistoryDialogProps = {
  kind: 'abuse_threshold' | 'alias' | 'api_key';
  title: string;
};

/** The history of a record that has no page of its own: of the one whose id the URL of its list has as `history`, or of the only one. */
export function HistoryDialog({ kind, title }: HistoryDialogProps) {
  const { values, open } = useUrlState({ history: parseAsString });
  if (values.history === null) return null;
  return (
    <OpenedDialog
      key={values.history}
      resource={kind === 'abuse_threshold' ? kind : `${kind}:${values.history}`}
      title={title}
      onClose={() => open({ history: null })}
    />
  );
}

type OpenedDialogProps = { resource: string; title: string; onClose: () => void };

function OpenedDialog({ resource, title, onClose }: OpenedDialogProps) {
  const name = useHistory(resource).data?.pages[0]?.items[0]?.resource_name;
  return (
    <DialogFrame opened isInUrl onClose={onClose} title={title} size={720}>
      <DialogFields>
        {resource.includes(':') && <p className="strong clip">{name ?? '\u00a0'}</p>}
        <History resource={resource} />
      </DialogFields>
    </DialogFrame>
  );
}
