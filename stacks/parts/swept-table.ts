import { Construct } from 'constructs';
import { functionSettings, type ResolvedProps } from '../../config/props.ts';
import { resolvedArchive } from '../../config/stream-props.ts';
import { escaped } from '../../config/terraform-text.ts';
import type { ExpiryModelProps } from '../../expiry/model.ts';
import { carriedSettings, modelPropsOfSettings, toEnvironment } from '../../functions/runtime/environment.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { deleteStatements, queryStatements } from './access-statements.ts';
import { Archive, guardedBucket, guardName } from './archive.ts';
import { Events } from './events.ts';
import { ExpiringTable, type TableReference } from './expiring-table.ts';
import { Guard } from './guard.ts';
import type { Place } from './place.ts';
import type { Statement } from './role.ts';

/** Id of the archive, which is part of the bucket's address. */
export const ARCHIVE = 'archive';

export interface SweptTableProps {
  readonly place: Place;
  readonly props: ResolvedProps;
  /** A table that is passed in. @default the table is created, or looked up by its name */
  readonly given?: TableReference | undefined;
}

/**
 * A table of a deployment, with its own resources: its index, its archive and its events. They are made in the given scope,
 * at addresses that have not changed since each table had its own state machine.
 */
export class SweptTable {
  /** The props with every default filled in. */
  readonly props: ResolvedProps;
  /** The props with which writers and readers call `expiryModel`; as JSON they serve other languages too. */
  readonly expiryModel: ExpiryModelProps;
  readonly table: ExpiringTable;
  readonly tableName: string;
  readonly tableArn: string;
  readonly indexArn: string;
  /** Undefined if the deployment knows of no stream. */
  readonly streamArn: string | undefined;
  /** Undefined without the prop `archive`. */
  readonly archive: Archive | undefined;
  /** Undefined without the prop `events`. */
  readonly events: Events | undefined;
  readonly scope: Construct;
  readonly #place: Place;

  constructor(scope: Construct, { place, props, given }: SweptTableProps) {
    this.scope = scope;
    this.#place = place;
    this.props = props;
    this.expiryModel = modelPropsOfSettings(props);
    this.table = new ExpiringTable(scope, 'table', { place, props, given });
    this.tableName = this.table.tableName;
    this.tableArn = this.table.tableArn;
    this.indexArn = this.table.indexArn;
    this.streamArn = this.table.streamArn;
    // The table's name is a reference, so functions are made after their table.
    const environment = {
      ...toEnvironment(functionSettings(props), escaped),
      TABLE_NAME: this.tableName,
      DEPLOYMENT_NAME: props.sweep,
    };
    this.archive = this.#archive(environment);
    this.events = this.#events(environment);
  }

  /** The table's settings that executions carry. */
  get settings(): CarriedSettings {
    const { props, tableName } = this;
    return {
      ...carriedSettings(functionSettings(props), escaped),
      tableName,
    };
  }

  /** Permissions for finding expired items. */
  queryStatements(): Statement[] {
    return queryStatements(this, this.#place);
  }

  /** Permissions for deleting expired items. */
  deleteStatements(): Statement[] {
    return deleteStatements(this, this.#place);
  }

  #archive(environment: Readonly<Record<string, string>>): Archive | undefined {
    const { scope, props, tableName, streamArn } = this;
    const archive = props.archive && resolvedArchive(props.archive);
    const made =
      archive &&
      streamArn &&
      new Archive(scope, ARCHIVE, {
        place: this.#place,
        tableName,
        streamArn,
        environment,
        archive,
        sweep: props,
      });
    // A bucket that an earlier deployment created stays, with its objects.
    if (!made || made.bucket === undefined) {
      const bucket = new Construct(made || new Construct(scope, ARCHIVE), 'bucket');
      Guard.of(scope).forget(guardName(bucket), guardedBucket(bucket));
    }
    return made || undefined;
  }

  #events(environment: Readonly<Record<string, string>>): Events | undefined {
    const { props, streamArn } = this;
    if (props.events === undefined || streamArn === undefined) return undefined;
    return new Events(this.scope, 'events', {
      place: this.#place,
      streamArn,
      environment,
      events: props.events,
      sweep: props,
    });
  }
}
