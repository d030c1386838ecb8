import { Button } from '@mantine/core';

type SaveBarProps = {
  isDirty: boolean;
  isSaving: boolean;
  isSaved: boolean;
  onDiscard: () => void;
  /** Something else on the page is what to do first. */
  isSecondary?: boolean;
};

/** Below a form of settings: save, undo, and what became of it. */
export function SaveBar({ isDirty, isSaving, isSaved, onDiscard, isSecondary }: SaveBarProps) {
  return (
    <div className="form-footer">
      <Button variant={isSecondary ? 'default' : 'filled'} type="submit" loading={isSaving} disabled={!isDirty}>
        Save the changes
      </Button>
      {isDirty ? (
        <Button variant="subtle" color="gray" onClick={onDiscard}>
          Undo the changes
        </Button>
      ) : (
        <span className="quiet" role="status">
          {isSaved ? 'Saved' : 'Nothing changed'}
        </span>
      )}
    </div>
  );
}
