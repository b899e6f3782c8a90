"""What SQL over recorded tables may call: functions of their arguments alone, whose results cannot grow without end.

An allow-list. Not in it: chance, clocks, time zones, files, settings, catalogs, samples, and functions that make a
large value out of a small number (``repeat``, ``range`` as a value, ``format`` with a width): the engine builds such a
value outside its own memory limit and does not hear that it should stop (measured: 20 GB and 50 s for one call). Nor
are powers, logarithms and angles, whose last digits the C library computes differently from one kind of processor to
the next.
"""

from __future__ import annotations

from typing import Final

_AGGREGATES: Final = """
any_value arg_max arg_max_null arg_min arg_min_null array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count
count_if count_star countif covar_pop covar_samp favg first fsum group_concat
kahan_sum kurtosis kurtosis_pop last list listagg mad max max_by mean median min min_by mode product quantile
quantile_cont quantile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
sem skewness stddev stddev_pop stddev_samp string_agg sum sum_no_overflow sumkahan var_pop var_samp variance
"""
_WINDOWS: Final = """
cume_dist dense_rank fill first_value lag last_value lead nth_value ntile percent_rank rank rank_dense row_number
"""
_NUMBERS: Final = """
abs add bit_count ceil ceiling degrees divide even fdiv floor fmod gcd greatest isfinite isinf isnan lcm least mod
multiply nextafter pi radians round round_even roundbankers sign signbit sqrt subtract trunc xor
"""
_TEXTS: Final = """
array_extract ascii base64 bin chr concat concat_ws contains ends_with from_base64 from_hex hex instr lcase left length
len like_escape ilike_escape not_like_escape not_ilike_escape lower ltrim md5 nfc_normalize octet_length ord position
prefix regexp_extract regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array replace
reverse right rtrim sha1 sha256 split split_part starts_with str_split string_split strip_accents strlen strpos
substr substring suffix to_base64 to_hex translate trim ucase unhex unicode upper array_slice encode decode
"""
_TIMES: Final = """
date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname dayofmonth dayofweek dayofyear
epoch epoch_ms epoch_ns epoch_us era hour isodow isoyear last_day make_date make_time make_timestamp microsecond
millisecond minute month monthname quarter second strftime strptime time_bucket to_days to_hours
to_microseconds to_milliseconds to_minutes to_months to_seconds to_timestamp to_weeks to_years try_strptime week weekday
weekofyear year yearweek date_add
"""
_OTHERS: Final = """
alias array_contains array_distinct array_length array_position array_sort constant_or_null element_at
flatten if list_aggregate list_aggr list_any_value list_apply list_avg list_concat list_contains list_count
list_distinct list_element list_extract list_filter list_first list_has list_last list_max list_median list_min
list_position list_reduce list_reverse list_reverse_sort list_slice list_sort list_sum list_transform list_unique
list_value list_zip map map_extract map_keys map_values nullif row struct_extract struct_pack to_json typeof unnest
json_extract json_extract_string array_to_string list_intersect list_has_any list_has_all
"""

INEXACT_OPERATORS: Final = frozenset(("^", "**"))
"""Powers, which are no function of recorded values alone but of the processor, too."""

FUNCTIONS: Final = frozenset(" ".join((_AGGREGATES, _WINDOWS, _NUMBERS, _TEXTS, _TIMES, _OTHERS)).split())
"""Names that a call may have, in lower case; operators are always allowed."""

PADDING: Final = frozenset(("lpad", "rpad"))
"""Allowed where the length is written as a number, of at most ``MOST_PADDING``."""

MOST_PADDING: Final = 256

TABLE_FUNCTIONS: Final = frozenset(("generate_series", "range", "unnest"))
"""Allowed after FROM: their rows come one after the other."""

HIDDEN_CALLS: Final = frozenset(
    f"current_{what}" for what in ("catalog", "date", "role", "schema", "time", "timestamp", "user")
) | {"localtime", "localtimestamp", "session_user", "user"}
"""Names that look like columns and are calls, which SQL writes without brackets."""
