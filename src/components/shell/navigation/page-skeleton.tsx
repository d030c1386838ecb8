import { type RouteShape, routeOf, shapeOf } from '@/lib/routes';
import { Skeleton } from '../../marks/skeleton';
import { PageHeader } from '../../page-header';
import { SettingsSkeleton } from '../../settings-section';
import classes from './page-skeleton.module.css';

const ROWS = Array.from({ length: 24 }, (_, index) => `row-${index}`);
const COLUMNS = [152, 184, 96, 64];

/** The outline of a page that is on its way, over the one that is shown. Screen readers hear of it from NavigationProgress. */
export function PageSkeleton({ path }: { path: string }) {
  const shape = shapeOf(path);
  const label = routeOf(path)?.label ?? '';
  return (
    <div className={classes.page} data-shape={shape} aria-hidden="true">
      <PageHeader
        title={shape === 'detail' ? '\u00a0' : label}
        description={<Skeleton width={184} />}
        hasTabs={shape === 'detail' || undefined}
      />
      <Body shape={shape} />
    </div>
  );
}

function Body({ shape }: { shape: RouteShape }) {
  if (shape === 'form') return <SettingsSkeleton heights={[160, 200, 120]} />;
  if (shape === 'detail') {
    return (
      <>
        <div className={classes.tabs}>
          <Skeleton width={64} />
          <Skeleton width={48} />
          <Skeleton width={72} />
        </div>
        <SettingsSkeleton heights={[200, 160, 120]} />
      </>
    );
  }
  return (
    <>
      <div className={classes.tools}>
        <Skeleton width={224} />
        <Skeleton width={96} />
      </div>
      {ROWS.map((key, row) => (
        <div key={key} className={classes.row}>
          {COLUMNS.map((width, column) => (
            <span key={width}>
              <Skeleton width={width - ((row * 13 + column) % 5) * 8} />
            </span>
          ))}
        </div>
      ))}
    </>
  );
}
