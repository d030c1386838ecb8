import { Button } from '@mantine/core';
import { FormFooter } from '../layout/form-layout';
import { ConflictDialog } from './conflict-dialog';
import type { Conflict } from './use-saved-form';

type SaveBarProps = {
  isDirty: boolean;
  isSaving: boolean;
  isSaved: boolean;
  onDiscard: () => void;
  conflict: Conflict | null;
  /** The id of the form, if the buttons aren't in it. */
  form?: string;
  /** Another action on the page is more important. */
  isSecondary?: boolean;
};

/** Save and discard buttons of a settings form, with its saved state. */
export function SaveBar({ isDirty, isSaving, isSaved, onDiscard, conflict, form, isSecondary }: SaveBarProps) {
  return (
    <FormFooter>
      <Button
        variant={isSecondary ? 'default' : 'filled'}
        type="submit"
        form={form}
        loading={isSaving}
        disabled={!isDirty}
      >
        Save changes
      </Button>
      {isDirty ? (
        <Button variant="subtle" color="gray" onClick={onDiscard}>
          Discard changes
        </Button>
      ) : (
        <span className="quiet" role="status">
          {isSaved ? 'Saved' : 'No changes'}
        </span>
      )}
      <ConflictDialog conflict={conflict} />
    </FormFooter>
  );
}
