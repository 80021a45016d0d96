// How much of what the running feed showed was real: phantoms, whether windows stood when their legs were next confirmed, and whether stated
// lifetimes came true.

import { replaceQuery, useLoaded } from '../hooks'
import { league, duration, percent, whole, words } from '../model/text'
import { stood } from '../model/standing'
import type { Standing, Truth as Told, TruthCounts } from '../model/types'
import { Empty, Field, Loading, num, Problem, Table, Time } from '../parts/parts'

const HOURS: { hours: string; text: string }[] = [{ hours: '1', text: 'The last hour' }, { hours: '24', text: 'The last day' }, { hours: '168', text: 'The last week' }]
const EVERY_MS = 60_000

const share = (value: number | null) => (value === null ? 'none' : percent(value, 1))

/** All phases in one. */
export function summed(counts: readonly TruthCounts[]): { windows: number; phantoms: number; verified: number } {
  const sum = (of: (counts: TruthCounts) => number) => counts.reduce((total, counts) => total + of(counts), 0)
  return {
    windows: sum((it) => it.windows), phantoms: sum((it) => it.phantoms), verified: sum((it) => it.verified),
  }
}

/** A share with its standard error. */
function Found({ of }: { of: ReturnType<typeof stood> }) {
  if (of.share === null || of.error === null) return <span class="quiet">none</span>
  return <>{percent(of.share, 1)} <span class="quiet">± {percent(of.error, 1)} of {whole(of.windows)}</span></>
}

/** Whether windows stood, by one grouping and phase. */
function Stood({ rows, head, name }: { rows: readonly Standing[]; head: string; name: (of: string) => string }) {
  const keys = [...new Set(rows.map((row) => `${row.of ?? ''}/${row.phase}`))]
  return (
    <Table label={`Windows that stood by ${head.toLowerCase()}`} head={[head, 'Phase', num('Verified, since then'), num('All, since they opened')]}>
      {keys.map((key) => {
        const of = rows.filter((row) => `${row.of ?? ''}/${row.phase}` === key)
        const [first] = of
        return first === undefined ? null : (
          <tr key={key}>
            <th scope="row">{name(first.of ?? '')}</th><td>{words(first.phase)}</td>
            <td class="number"><Found of={stood(of, 'verified')} /></td><td class="number"><Found of={stood(of, 'opened')} /></td>
          </tr>
        )
      })}
    </Table>
  )
}

function Share({ title, part, whole: all, of }: { title: string; part: number; whole: number; of: string }) {
  return (
    <div class="card">
      <h2>{title}</h2>
      <p><strong class="large number">{all === 0 ? '–' : percent(part / all, 1)}</strong></p>
      <p class="quiet number">{whole(part)} of {whole(all)} {of}</p>
    </div>
  )
}

/** A part beside what it should be, on a bar. */
function Against({ stated, found }: { stated: number; found: number | null }) {
  if (found === null) return <span class="quiet">not known</span>
  return (
    <>
      <span class="number">{percent(found, 1)}</span>
      <svg class="bar against" width="100%" height="10" aria-hidden="true">
        <rect class="track" x="0" y="3" width="100%" height="4" rx="2" />
        <rect class="range" x="0" y="3" width={`${100 * found}%`} height="4" rx="2" />
        <rect class="median" x={`${100 * stated}%`} y="0" width="2" height="10" />
      </svg>
    </>
  )
}

function Answer({ truth }: { truth: Told }) {
  const all = summed(truth.phases)
  const by = (by: Standing['by']) => truth.standing.filter((row) => row.by === by)
  const verified = stood(by('phase'), 'verified')
  return (
    <>
      <div class="tiles">
        <Share title="Phantoms among all windows" part={all.phantoms} whole={all.windows} of="windows were never proven to have been on offer at one moment" />
        <Share title="Verified ones that stood" part={verified.stood} whole={verified.windows} of="verified windows had every leg at its price or better when it was next confirmed" />
        <Share title="Verified" part={all.verified} whole={all.windows} of="windows passed all nine checks at some time" />
      </div>
      <h2>By phase</h2>
      <Table label="By phase" head={['Phase', num('Windows'), num('Phantoms'), num('Verified'), num('Of them stood'), num('Median life')]}>
        {truth.phases.map((row) => (
          <tr key={row.phase}>
            <th scope="row">{words(row.phase)}</th><td class="number">{whole(row.windows)}</td><td class="number">{share(row.phantom_share)}</td>
            <td class="number">{whole(row.verified)}</td><td class="number"><Found of={stood(by('phase').filter(({ phase }) => phase === row.phase), 'verified')} /></td>
            <td class="number">{row.median_lifetime_seconds === null ? 'none closed' : duration(row.median_lifetime_seconds)}</td>
          </tr>
        ))}
      </Table>
      <h2>Do windows stand?</h2>
      <p class="quiet">A window stood when all its legs were on offer at their prices or better as each was first confirmed after the window opened, or after it was verified. Closed
        windows whose legs were all answered count, with the standard error. The gap is the time to the confirmation that decided it: prices are polled, and a late answer proves little.</p>
      {truth.standing.length === 0 ? <p class="quiet">No window is answered yet.</p> : (
        <>
          <Stood rows={by('gap')} head="Gap" name={(of) => (of === 'longer' ? of : duration(Number(of)))} />
          <Stood rows={by('league')} head="League" name={league} />
        </>
      )}
      <h2>Do windows live as long as they say?</h2>
      <p class="quiet">Each window states when it opens by when one in ten, half and nine in ten such windows are closed. The mark is what was stated. Windows that opened too late
        for all three to be decided are left out.</p>
      {truth.lifetimes.length === 0 ? <p class="quiet">No window is old enough yet.</p> : (
        <Table label="Calibration of lifetimes" head={['Phase', num('Windows'), 'Closed by the stated 10 %', 'By the stated median', 'By the stated 90 %']}>
          {truth.lifetimes.map((row) => (
            <tr key={row.phase}>
              <th scope="row">{words(row.phase)}</th><td class="number">{whole(row.windows)}</td>
              <td><Against stated={0.1} found={row.closed_by_p10} /></td><td><Against stated={0.5} found={row.closed_by_median} /></td>
              <td><Against stated={0.9} found={row.closed_by_p90} /></td>
            </tr>
          ))}
        </Table>
      )}
      <h2>Can they be placed?</h2>
      <p class="quiet">A window states the probability that it lives the two minutes that it takes to place all bets. By tenths of that:</p>
      {truth.execution.length === 0 ? <p class="quiet">No window is old enough yet.</p> : (
        <Table label="Calibration of the probability of execution" head={[num('Stated'), 'Lived two minutes', num('Windows')]}>
          {truth.execution.map((row) => (
            <tr key={row.stated}><td class="number">{percent(row.stated, 1)}</td><td><Against stated={row.stated} found={row.lived} /></td><td class="number">{whole(row.windows)}</td></tr>
          ))}
        </Table>
      )}
    </>
  )
}

export function Truth({ given }: { given: string }) {
  const asked = new URLSearchParams(given).get('hours')
  const hours = HOURS.find((known) => known.hours === asked)?.hours ?? '24'
  const { value, error } = useLoaded<Told>(`/truth?hours=${hours}`, EVERY_MS)
  return (
    <section>
      <header class="head"><h1>Truth</h1></header>
      <p class="quiet">How much of what the running feed showed was real, from what ClickHouse has of it; updated each minute.</p>
      <div class="filterbar">
        <Field label="Time">
          {(id) => (
            <select id={id} value={hours} onChange={(event) => replaceQuery('truth', `hours=${event.currentTarget.value}`)}>
              {HOURS.map(({ hours, text }) => <option key={hours} value={hours}>{text}</option>)}
            </select>
          )}
        </Field>
      </div>
      <Problem text={error} />
      {value === null && error === null && <Loading what="the windows of the past" />}
      {value?.since != null && value.until !== null && (
        <p class="quiet">Windows that opened from <Time at={value.since} /> to <Time at={value.until} />, by the feed's own time.</p>
      )}
      {value?.phases.length === 0 && <Empty title="No windows yet"><p>They are stored a few seconds after they open.</p></Empty>}
      {value !== null && value.phases.length > 0 && <Answer truth={value} />}
    </section>
  )
}
