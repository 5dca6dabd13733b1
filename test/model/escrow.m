-- Escrow, every interleaving of it: gates and an anchor, small enough that a machine can visit all states.
--
-- Law: capacity = inside + Σ balances + Σ in flight + doors still shut + leaked, in every state, with every term at or
-- above zero but the anchor's balance. So the mall is never above capacity, except by what a cut has made the anchor owe.
--
-- What a gate does is an entry in its ledger (memory) that fsync makes durable (disk). A door opens, and a row leaves, only
-- for what is durable. `told` is the newest row of an account that has left; rows may be lost, late or repeated, so a taker
-- reads it whenever it likes. A crash takes memory back to disk. A loss takes the disk itself back, or away; then the gate
-- goes on in its next epoch with nothing, and of the old account the world keeps what it was told.
--
-- Left out: the one loss nobody can see, where store and mark go back together and no row has left since. The anchor is
-- durable at once: what a crash does to a ledger, the gates show.
--
-- As it stands: 123,566 states in seconds. By hand, with a second token (6,382,710 states, 15 minutes on one busy core):
--
--     sed 's/^const CAPACITY: 1/const CAPACITY: 2/; s/^const CUT: 0/const CUT: 1/' test/model/escrow.m > /tmp/large.m
--     rumur --deadlock-detection off --output /tmp/large.c /tmp/large.m
--     gcc -O3 -march=native -std=c11 -o /tmp/large /tmp/large.c -lpthread && /tmp/large
--
-- or with three gates of one epoch each (GATES: 3, EPOCHS: 1, without the covers at the end: 306,014 states, a minute).
--
-- BUG plants a mistake that must be found: 1 a door opens before fsync; 2 a row leaves before fsync; 3 a ledger is continued
-- after a loss; 4 a gate that knows of a debt admits before it pays.

const GATES: 2;
const EPOCHS: 2;
const CAPACITY: 1;
const CUT: 0;     -- what the capacity falls to, once, at any moment
const MOST: 1;    -- entries of one kind, to or from one account, in one ledger
const BUG: 0;
const LEAST: -30;

type
  Gate: scalarset(GATES);
  Epoch: 1..EPOCHS;
  Life: 1..(EPOCHS + 1);  -- one more than there are epochs: out of service
  Few: 0..MOST;
  Number: LEAST..30;
  Back: enum { LAST_ROW, OPENING, NOTHING };
  Row: record
    size: 0..30;      -- entries in the ledger
    balance: Number;  -- what they add up to
    admitted: Few;
    exited: Few;
    sent: array[Gate] of array[Epoch] of Few;
    received: array[Gate] of array[Epoch] of Few;
    repaid: Few;   -- sent to the anchor
    granted: Few;  -- received from the anchor
  end;

var
  life: array[Gate] of Life;
  memory: array[Gate] of array[Epoch] of Row;
  disk: array[Gate] of Row;
  told: array[Gate] of array[Epoch] of Row;
  opened: array[Gate] of Few;       -- doors opened, or given up at a crash, in this epoch
  due: array[Gate] of 0..CAPACITY;  -- what a gate knows it must pay before it admits

  capacity: CUT..CAPACITY;
  grants: array[Gate] of array[Epoch] of Few;
  repaid: array[Gate] of array[Epoch] of Few;

  -- the oracle's own: who is inside, and what no account can ever use again
  inside: 0..(3 * CAPACITY);
  leaked: Number;
  paidFirst: boolean;

function works(i: Gate): boolean; begin
  return life[i] <= EPOCHS;
end;

function anchorBalance(): Number;
var n: Number; begin
  n := capacity;
  for j: Gate do for f: Epoch do n := n + repaid[j][f] - grants[j][f]; end; end;
  return n;
end;

function debt(): Number; begin
  return anchorBalance() < 0 ? -anchorBalance() : 0;
end;

-- What is on its way between accounts, all of it; LEAST if anything was taken that was never sent.
function inFlight(): Number;
var n: Number; var some: Number; begin
  n := 0;
  for i: Gate do for e: Epoch do if e <= life[i] then
    if grants[i][e] < memory[i][e].granted | memory[i][e].repaid < repaid[i][e] then return LEAST; end;
    n := n + grants[i][e] - memory[i][e].granted + memory[i][e].repaid - repaid[i][e];
    for j: Gate do if i != j then for f: Epoch do if f <= life[j] then
      some := memory[i][e].sent[j][f] - memory[j][f].received[i][e];
      if some < 0 then return LEAST; end;
      n := n + some;
    end; end; end; end;
  end; end; end;
  return n;
end;

-- What the accounts hold, and what they have spent on doors that are still to open.
function held(): Number;
var n: Number; begin
  n := anchorBalance();
  for i: Gate do if works(i) then
    n := n + memory[i][life[i]].balance + memory[i][life[i]].admitted - opened[i];
  end; end;
  return n;
end;

-- A ledger just opened. (To clear a number is to make it the least of its range.)
procedure open(var r: Row); begin
  clear r;
  r.balance := 0;
end;

-- One entry more, in memory.
procedure append(i: Gate; gain: Number); begin
  memory[i][life[i]].size := memory[i][life[i]].size + 1;
  memory[i][life[i]].balance := memory[i][life[i]].balance + gain;
end;

-- What a crash costs: exits not yet durable, and admissions whose door will now never open.
procedure forget(i: Gate); begin
  leaked := leaked + (memory[i][life[i]].exited - disk[i].exited) + (disk[i].admitted - opened[i]);
  memory[i][life[i]] := disk[i];
  opened[i] := disk[i].admitted;
  due[i] := 0;
end;

-- What the account held, and what it sent without telling, is out of use for ever. Of its ledger there stays what the
-- world can still take, and what had come in.
procedure close(i: Gate; e: Epoch); begin
  leaked := leaked + disk[i].balance + (disk[i].repaid - told[i][e].repaid);
  memory[i][e].repaid := told[i][e].repaid;
  for j: Gate do for f: Epoch do
    leaked := leaked + (disk[i].sent[j][f] - told[i][e].sent[j][f]);
    memory[i][e].sent[j][f] := told[i][e].sent[j][f];
  end; end;
  memory[i][e].size := 0;
  memory[i][e].balance := 0;
  memory[i][e].admitted := 0;
  memory[i][e].exited := 0;
  told[i][e] := memory[i][e];
  open(disk[i]);
  opened[i] := 0;
  life[i] := e + 1;
end;

startstate begin
  for i: Gate do
    life[i] := 1;
    open(disk[i]);
    for e: Epoch do
      open(memory[i][e]);
      open(told[i][e]);
    end;
  end;
  clear opened; clear due; clear grants; clear repaid;
  capacity := CAPACITY;
  inside := 0;
  leaked := 0;
  paidFirst := true;
end;

rule "capacity is cut"
  capacity > CUT
==> begin
  capacity := CUT;
end;

-- Nothing but a person stands in this guard: a way out asks nobody whether the gate works, knows or can write.
rule "somebody leaves uncounted"
  inside > 0
==> begin
  inside := inside - 1;
  leaked := leaked + 1;
end;

ruleset i: Gate do

  rule "admit"
    works(i) & memory[i][life[i]].balance > 0 & memory[i][life[i]].admitted < MOST & (due[i] = 0 | BUG = 4)
  ==> begin
    paidFirst := due[i] = 0;
    memory[i][life[i]].admitted := memory[i][life[i]].admitted + 1;
    append(i, -1);
  end;

  rule "a door opens"
    works(i) & opened[i] < (BUG = 1 ? memory[i][life[i]].admitted : disk[i].admitted)
  ==> begin
    opened[i] := opened[i] + 1;
    inside := inside + 1;
  end;

  rule "somebody leaves"
    works(i) & inside > 0 & memory[i][life[i]].exited < MOST
  ==> begin
    inside := inside - 1;
    memory[i][life[i]].exited := memory[i][life[i]].exited + 1;
    append(i, 1);
  end;

  rule "fsync"
    works(i) & disk[i].size < memory[i][life[i]].size
  ==> begin
    disk[i] := memory[i][life[i]];
  end;

  rule "a row leaves"
    works(i) & told[i][life[i]].size < (BUG = 2 ? memory[i][life[i]].size : disk[i].size)
  ==> begin
    if BUG = 2 then told[i][life[i]] := memory[i][life[i]]; else told[i][life[i]] := disk[i]; end;
  end;

  rule "crash"
    works(i) & (disk[i].size < memory[i][life[i]].size | opened[i] < disk[i].admitted | due[i] > 0)
  ==> begin
    forget(i);
  end;

  -- The disk comes back as it was when the last row left, or as it was when the ledger was opened, or with nothing on it.
  ruleset back: Back do
    rule "lose the disk and boot"
      works(i) & (back = OPENING -> told[i][life[i]].size > 0)
    ==>
      var e: Epoch;
      var image: Row;
      var noticed: boolean;
    begin
      e := life[i];
      open(image);
      switch back
        case LAST_ROW:  -- by the mark, which is kept apart from the store
          image := told[i][e];
          noticed := image.size < disk[i].size;
        case OPENING:   -- by a peer that holds a later row
          noticed := image.size < told[i][e].size;
        case NOTHING:   -- by the gate itself, which then asks for an account that never was
          noticed := true;
      end;
      forget(i);
      if noticed & BUG != 3 then
        close(i, e);
      elsif noticed then
        memory[i][e] := image;
        disk[i] := image;
        opened[i] := image.admitted;
      end;
    end;
  end;

  -- The anchor's newest row is heard. How large the gate's share is depends on what it knows of the others: any.
  ruleset share: 1..CAPACITY do
    rule "hear of a debt"
      works(i) & due[i] = 0 & share <= debt() - (memory[i][life[i]].repaid - repaid[i][life[i]])
    ==> begin
      due[i] := share;
    end;
  end;

  rule "pay"
    works(i) & due[i] > 0 & memory[i][life[i]].balance > 0 & memory[i][life[i]].repaid < MOST
  ==> begin
    memory[i][life[i]].repaid := memory[i][life[i]].repaid + 1;
    append(i, -1);
    due[i] := due[i] - 1;
  end;

  ruleset f: Epoch do

    -- To a closed account as well: who gives may not have heard of the loss.
    rule "the anchor grants"
      f <= life[i] & anchorBalance() > 0 & grants[i][f] < MOST
    ==> begin
      grants[i][f] := grants[i][f] + 1;
    end;

    rule "take a grant"
      life[i] = f & memory[i][life[i]].granted < grants[i][f]
    ==> begin
      memory[i][life[i]].granted := memory[i][life[i]].granted + 1;
      append(i, 1);
    end;

    rule "the anchor takes what was paid"
      repaid[i][f] < told[i][f].repaid
    ==> begin
      repaid[i][f] := repaid[i][f] + 1;
    end;

    ruleset j: Gate do

      rule "give"
        i != j & works(i) & f <= life[j] & memory[i][life[i]].balance > 0 & memory[i][life[i]].sent[j][f] < MOST
      ==> begin
        memory[i][life[i]].sent[j][f] := memory[i][life[i]].sent[j][f] + 1;
        append(i, -1);
      end;

      -- One at a time, because the row that arrived may be older than the newest.
      rule "take"
        i != j & works(i) & memory[i][life[i]].received[j][f] < told[j][f].sent[i][life[i]]
      ==> begin
        memory[i][life[i]].received[j][f] := memory[i][life[i]].received[j][f] + 1;
        append(i, 1);
      end;

    end;
  end;
end;

invariant "ceiling" inside <= CAPACITY & inside <= capacity + debt();

invariant "conserved" leaked >= 0 & capacity = inside + held() + inFlight() + leaked;

invariant "solvent"
  debt() <= CAPACITY - CUT & forall i: Gate do works(i) -> memory[i][life[i]].balance >= 0 & disk[i].balance >= 0 end;

invariant "durableFirst" forall i: Gate do works(i) -> opened[i] <= disk[i].admitted end;

invariant "oneHistory"
  forall i: Gate do works(i) ->
    told[i][life[i]].size <= disk[i].size & disk[i].size <= memory[i][life[i]].size
  end;

invariant "debts first" paidFirst;

-- None of the above would mean much if the mall stood still.
cover "the mall is full" inside = CAPACITY;
cover "a debt is owed" debt() > 0;
cover "a debt is paid" exists i: Gate do repaid[i][1] > 0 end;
cover "a gate admits in its next epoch" exists i: Gate do life[i] = 2 & opened[i] > 0 end;
cover "a token goes there and back"
  exists i: Gate do exists j: Gate do i != j & memory[i][1].received[j][1] > 0 & memory[j][1].received[i][1] > 0 end end;
cover "what a closed account sent is taken"
  exists i: Gate do exists j: Gate do life[j] = 2 & life[i] = 1 & disk[i].received[j][1] < memory[i][1].received[j][1] end end;
cover "a gift to a closed account stays there"
  exists i: Gate do exists j: Gate do life[j] = 2 & memory[j][1].received[i][1] < memory[i][1].sent[j][1] end end;
