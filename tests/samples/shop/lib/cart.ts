import { createHash } from 'node:crypto';

export interface Line {
  readonly name: string;
  readonly cents: number;
  count?: number;
}

export type Cart = { lines: Line[]; owner: string | undefined };

export enum State {
  Open = 'open',
  Paid = 'paid',
}

export class Register<T extends Line> {
  private readonly seen: Map<string, T> = new Map();

  constructor(private readonly owner: string) {}

  public put(line: T): number {
    this.seen.set(line.name, line);
    return this.seen.size;
  }

  digest(): string {
    return createHash('sha256').update(JSON.stringify([...this.seen])).digest('hex') as string;
  }
}
