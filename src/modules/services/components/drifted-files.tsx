import { Button } from '@mantine/core';
import type { DriftedFile } from '@/lib/mail/operations';

const KINDS: Record<DriftedFile['kind'], string> = {
  changed: 'differs from what the settings generate',
  missing: 'is missing',
  extra: 'is not generated, but the service reads it. Applying the configuration leaves it alone',
};

/** @param onPreview shows how they differ; null while it can't be asked for */
type DriftedFilesProps = { files: DriftedFile[]; onPreview: (() => void) | null };

/** The files of a service that are not as the settings generate them. */
export function DriftedFiles({ files, onPreview }: DriftedFilesProps) {
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
