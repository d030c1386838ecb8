import { Button } from '@mantine/core';

type SaveFootProps = {
  isDirty: boolean;
  isSaving: boolean;
  isSaved: boolean;
  onUndo: () => void;
  /** Something else on the page is what to do first. */
  isQuiet?: boolean;
};

/** Below a form of settings: save, undo, and what became of it. */
export function SaveFoot({ isDirty, isSaving, isSaved, onUndo, isQuiet }: SaveFootProps) {
  return (
    <div className="form-foot">
      <Button variant={isQuiet ? 'default' : 'filled'} type="submit" loading={isSaving} disabled={!isDirty}>
        Save the changes
      </Button>
      {isDirty ? (
        <Button variant="subtle" color="gray" onClick={onUndo}>
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
