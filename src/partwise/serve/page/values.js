// Values as people write them: numbers with separators and units, dates with the month's name.

import { clean } from "./dom.js";

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d)(?::\d\d)?(?:\.\d+)?)?$/;
const PERIOD = /^(\d{4})-(\d\d|Q[1-4])$/;
const FIGURES = new Set(["integer", "number", "money", "percent", ""]);
/** Columns of numbers that count nothing, where the server does not say the types. */
const PLAIN = /\b(id|key|year|code|zip)$/i;

const named = (field, count, days) => Array.from({ length: count }, (_, i) =>
  new Intl.DateTimeFormat("en", { ...field, timeZone: "UTC" }).format(Date.UTC(2023, ...days(i))));
const MONTHS = named({ month: "short" }, 12, (i) => [i]);
const LONG_MONTHS = named({ month: "long" }, 12, (i) => [i]);
// 1 January 2023 is a Sunday.
const WEEKDAYS = named({ weekday: "long" }, 7, (i) => [0, 1 + i]);

/** The columns of a reading: name, type ("" if unknown), unit, and whether all numbers are whole. */
export function columnsOf(reading) {
  const known = reading.display?.columns ?? [];
  const fractions = (i) =>
    reading.answer?.some((row) => typeof row[i] === "number" && !Number.isInteger(row[i]));
  return (reading.columns ?? []).map((name, i) => ({
    name, type: known[i]?.type ?? (PLAIN.test(name) ? "key" : ""), unit: known[i]?.unit ?? null,
    whole: !fractions(i),
  }));
}

/** Whether it is a number that is compared, and so stands on the right. */
export const isFigure = (value, column) => typeof value === "number" && FIGURES.has(column.type);

/** A value as people read it. */
export function spelled(value, column = { type: "" }) {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return dated(clean(value), column.type);
  return isFigure(value, column) ? figure(value, column) : part(value, column.type);
}

/** A part of a date, or what else is stored as a number. */
function part(value, type) {
  const names = { month: LONG_MONTHS[value - 1], weekday: WEEKDAYS[value], quarter: `Q${value}`,
    boolean: ["no", "yes"][value] };
  return names[type] ?? String(value);
}

function figure(value, { type, unit, whole }) {
  const money = type === "money";
  if (money && /^[A-Z]{3}$/.test(unit ?? "")) {
    const style = { style: "currency", currency: unit, currencyDisplay: "narrowSymbol" };
    return new Intl.NumberFormat("en", whole ? { ...style, maximumFractionDigits: 0 } : style).format(value);
  }
  const most = { money: 2, percent: 1 }[type] ?? 2;
  // Of what is small all digits shown would be zeros.
  const digits = value !== 0 && Math.abs(value) < 1 && !money ? { maximumSignificantDigits: 3 }
    : { maximumFractionDigits: most, minimumFractionDigits: money && !whole ? 2 : 0 };
  const text = new Intl.NumberFormat("en", digits).format(value);
  if (type === "percent") return `${text} %`;
  return unit && unit !== "money" ? `${text} ${clean(unit)}` : text;
}

function dated(text, type) {
  const day = DATE.exec(text), period = PERIOD.exec(text);
  if (day && MONTHS[day[2] - 1]) {
    const time = day[4] && day[4] !== "00:00" ? `, ${day[4]}` : "";
    return `${Number(day[3])} ${MONTHS[day[2] - 1]} ${day[1]}${time}`;
  }
  if (!period || !["", "month", "quarter"].includes(type)) return text;
  const name = period[2].startsWith("Q") ? period[2] : MONTHS[period[2] - 1];
  return name ? `${name} ${period[1]}` : text;
}
