import type { Problem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { Dialog } from '@/components/dialogs/dialog';
import { formatCount, formatPlural } from '@/lib/format';
import { MAX_COUNTED_ROWS } from '@/lib/lists';
import type { ConfigChanges, Deletion, Setting } from '../schema';
import classes from './config-page.module.css';
import { valueText } from './setting-value';

type ReviewDialogProps = {
  changes: ConfigChanges['changes'] | null;
  settings: Setting[];
  problem: Problem | null;
  isBusy: boolean;
  onClose: () => void;
  onSave: () => void;
};

/** The changes that the server would make, shown before they are saved. */
export function ReviewDialog({ changes, settings, problem, isBusy, onClose, onSave }: ReviewDialogProps) {
  const unitOf = (key: string) => settings.find((setting) => setting.key === key)?.unit ?? null;
  return (
    <Dialog
      opened={changes !== null}
      title="Review changes"
      action={`Save ${formatPlural(changes?.length ?? 0, 'change')}`}
      isBusy={isBusy}
      isDanger={changes?.some(({ deletes }) => deletes !== null)}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <ul className={classes.changes}>
        {changes?.map(({ key, before, after, deletes }) => (
          <li key={key}>
            <h3 className="mono">{key}</h3>
            <del>{valueText(before.value, unitOf(key))}</del>
            <ins>
              {valueText(after.value, unitOf(key))}
              {after.source === 'default' && ' (default)'}
            </ins>
            {deletes && <p className="danger">{deletionText(deletes)}</p>}
          </li>
        ))}
      </ul>
      <p className="soft">In effect on every instance within two seconds, without a restart.</p>
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

function deletionText({ what, count }: Deletion): string {
  const amount = count < MAX_COUNTED_ROWS ? formatCount(count) : `At least ${formatCount(count)}`;
  return `Older than that: ${amount} ${what}, deleted soon after you save. They can’t be restored.`;
}
