import type { Operation } from '../operations';

type OperationAccess = NonNullable<Operation['access']>;

const ROLES: Record<OperationAccess['role'], string> = {
  domain_admin: 'any admin (a domain admin: for assigned domains)',
  admin: 'admins and super admins',
  super_admin: 'super admins',
};

/** Who may call an operation. */
export function Access({ access }: { access: OperationAccess | null }) {
  return (
    <p className="quiet">
      {access === null ? (
        'Needs neither a session nor an API key.'
      ) : (
        <>
          For {ROLES[access.role]}, <Credentials access={access} />.
        </>
      )}
    </p>
  );
}

function Credentials({ access: { permission, scoped_keys, session_only } }: { access: OperationAccess }) {
  if (session_only) return 'signed in: API keys can’t call it';
  return (
    <>
      with a session or an API key
      {permission && (
        <>
          {' '}
          with the permission <code>{permission}</code>
        </>
      )}
      {!scoped_keys && ', but not a domain-scoped one'}
    </>
  );
}
