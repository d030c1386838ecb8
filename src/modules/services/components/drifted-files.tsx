import type { DriftedFile } from '@/lib/mail/operations';

const KINDS: Record<DriftedFile['kind'], string> = {
  changed: 'differs from what the settings generate',
  missing: 'is missing',
  extra: 'is not generated, but the service reads it. Applying the configuration leaves it alone',
};

/** The files of a service that are not as the settings generate them. */
export function DriftedFiles({ files }: { files: DriftedFile[] }) {
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
        The settings or the templates have changed, or somebody has edited the files. Preview configuration shows the
        lines; Apply configuration puts the generated files in place.
      </p>
    </>
  );
}
