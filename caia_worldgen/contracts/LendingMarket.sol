// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

interface IPriceOracle {
    function price(address token) external view returns (uint256);
}

/// One debt token lent against one collateral token.
///
/// Debt grows with one index of 18 decimals, linearly between touches: every call that changes state
/// first moves the index to the block's time, by `nextIndex`. A borrower's debt is their scaled debt times
/// the index, rounded up; the sum of all scaled debts gives the total. Lenders own shares of cash plus debt;
/// what a bad debt loses, they lose. Tokens that take a fee on transfer are not supported, and tokens
/// merely sent here do not count as cash.
contract LendingMarket {
    using SafeERC20 for IERC20;

    uint256 public constant ONE = 1e18;
    uint256 public constant YEAR = 365 days;

    IERC20 public immutable collateral;
    IERC20 public immutable debt;
    IPriceOracle public immutable oracle;
    uint256 public immutable collateralUnit;
    uint256 public immutable debtUnit;
    uint256 public immutable ltvBps;
    uint256 public immutable liquidationBps;
    uint256 public immutable bonusBps;
    uint256 public immutable rateBpsPerYear;

    uint256 public storedIndex = ONE;
    uint256 public touchedAt;
    uint256 public cash;
    uint256 public totalShares;
    uint256 public totalScaledDebt;
    mapping(address => uint256) public sharesOf;
    mapping(address => uint256) public collateralOf;
    mapping(address => uint256) public scaledDebtOf;

    event Accrued(uint256 index, uint256 totalDebt);
    event Deposited(address indexed lender, uint256 amount, uint256 shares);
    event Withdrawn(address indexed lender, uint256 amount, uint256 shares);
    event CollateralAdded(address indexed borrower, uint256 amount);
    event CollateralRemoved(address indexed borrower, uint256 amount);
    event Borrowed(address indexed borrower, uint256 amount);
    event Repaid(address indexed borrower, uint256 amount);
    event Liquidated(address indexed borrower, address indexed liquidator, uint256 repaid, uint256 seized);

    error BadTerms();
    error ZeroAmount();
    error NotEnoughCash(uint256 wanted, uint256 cash);
    error NotEnoughShares(uint256 wanted, uint256 shares);
    error NotEnoughCollateral(uint256 wanted, uint256 collateral);
    error OverLimit(uint256 debtValue, uint256 limit);
    error Healthy(uint256 healthBps);

    modifier touched() {
        uint256 index = currentIndex();
        if (index != storedIndex) {
            storedIndex = index;
            emit Accrued(index, _owed(totalScaledDebt, index));
        }
        touchedAt = block.timestamp;
        _;
    }

    constructor(
        IERC20 collateral_,
        IERC20 debt_,
        IPriceOracle oracle_,
        uint8 collateralDecimals,
        uint8 debtDecimals,
        uint256 ltvBps_,
        uint256 liquidationBps_,
        uint256 bonusBps_,
        uint256 rateBpsPerYear_
    ) {
        if (ltvBps_ > liquidationBps_ || liquidationBps_ > 10_000) revert BadTerms();
        collateral = collateral_;
        debt = debt_;
        oracle = oracle_;
        collateralUnit = 10 ** collateralDecimals;
        debtUnit = 10 ** debtDecimals;
        ltvBps = ltvBps_;
        liquidationBps = liquidationBps_;
        bonusBps = bonusBps_;
        rateBpsPerYear = rateBpsPerYear_;
        touchedAt = block.timestamp;
    }

    /// The index after `elapsed` seconds at `rateBps` a year: linear, rounded down.
    function nextIndex(uint256 index, uint256 rateBps, uint256 elapsed) public pure returns (uint256) {
        return index + (index * rateBps * elapsed) / (10_000 * YEAR);
    }

    /// The index at this block's time.
    function currentIndex() public view returns (uint256) {
        return nextIndex(storedIndex, rateBpsPerYear, block.timestamp - touchedAt);
    }

    /// All debt with interest up to now, rounded up.
    function totalDebt() public view returns (uint256) {
        return _owed(totalScaledDebt, currentIndex());
    }

    /// One borrower's debt with interest up to now, rounded up.
    function debtOf(address borrower) public view returns (uint256) {
        return _owed(scaledDebtOf[borrower], currentIndex());
    }

    /// Collateral value times the liquidation threshold over debt value: below 10,000 means liquidation.
    /// Without debt, the largest number there is.
    function healthBps(address borrower) public view returns (uint256) {
        uint256 owed = _debtValue(debtOf(borrower));
        if (owed == 0) return type(uint256).max;
        return (_collateralValue(collateralOf[borrower]) * liquidationBps) / owed;
    }

    /// Lend. The first lender gets one share per unit, later ones in proportion, rounded down.
    function deposit(uint256 amount) external touched returns (uint256 shares) {
        uint256 pool = cash + totalDebt();
        shares = totalShares == 0 ? amount : (amount * totalShares) / pool;
        if (shares == 0) revert ZeroAmount();
        totalShares += shares;
        sharesOf[msg.sender] += shares;
        cash += amount;
        debt.safeTransferFrom(msg.sender, address(this), amount);
        emit Deposited(msg.sender, amount, shares);
    }

    /// Give back shares for what they are worth now, rounded down.
    function withdraw(uint256 shares) external touched returns (uint256 amount) {
        if (shares > sharesOf[msg.sender]) revert NotEnoughShares(shares, sharesOf[msg.sender]);
        if (shares == 0) revert ZeroAmount();
        amount = (shares * (cash + totalDebt())) / totalShares;
        _takeCash(amount);
        sharesOf[msg.sender] -= shares;
        totalShares -= shares;
        debt.safeTransfer(msg.sender, amount);
        emit Withdrawn(msg.sender, amount, shares);
    }

    function addCollateral(uint256 amount) external touched {
        if (amount == 0) revert ZeroAmount();
        collateralOf[msg.sender] += amount;
        collateral.safeTransferFrom(msg.sender, address(this), amount);
        emit CollateralAdded(msg.sender, amount);
    }

    function removeCollateral(uint256 amount) external touched {
        _takeCollateral(msg.sender, amount);
        _checkLimit(msg.sender);
        collateral.safeTransfer(msg.sender, amount);
        emit CollateralRemoved(msg.sender, amount);
    }

    function borrow(uint256 amount) external touched {
        if (amount == 0) revert ZeroAmount();
        _takeCash(amount);
        uint256 scaled = Math.ceilDiv(amount * ONE, storedIndex);
        scaledDebtOf[msg.sender] += scaled;
        totalScaledDebt += scaled;
        _checkLimit(msg.sender);
        debt.safeTransfer(msg.sender, amount);
        emit Borrowed(msg.sender, amount);
    }

    /// Pay back the caller's debt; more than is owed counts as all of it.
    function repay(uint256 amount) external touched returns (uint256 paid) {
        paid = _repay(msg.sender, amount);
        emit Repaid(msg.sender, paid);
    }

    /// Pay back another's debt, when its health is below 10,000, and take collateral worth that and the bonus.
    function liquidate(address borrower, uint256 repayAmount) external touched returns (uint256 seized) {
        uint256 health = healthBps(borrower);
        if (health >= 10_000) revert Healthy(health);
        uint256 paid = _repay(borrower, repayAmount);
        seized = seizedFor(paid);
        _takeCollateral(borrower, seized);
        collateral.safeTransfer(msg.sender, seized);
        emit Liquidated(borrower, msg.sender, paid, seized);
    }

    /// The collateral that repaying `paid` takes at today's prices, bonus included, rounded down.
    function seizedFor(uint256 paid) public view returns (uint256) {
        uint256 above = paid * oracle.price(address(debt)) * collateralUnit * (10_000 + bonusBps);
        return above / (oracle.price(address(collateral)) * debtUnit * 10_000);
    }

    function _repay(address borrower, uint256 amount) private returns (uint256 paid) {
        uint256 owed = debtOf(borrower);
        paid = amount < owed ? amount : owed;
        if (paid == 0) revert ZeroAmount();
        uint256 scaled = paid == owed ? scaledDebtOf[borrower] : (paid * ONE) / storedIndex;
        scaledDebtOf[borrower] -= scaled;
        totalScaledDebt -= scaled;
        cash += paid;
        debt.safeTransferFrom(msg.sender, address(this), paid);
    }

    function _takeCash(uint256 amount) private {
        if (amount > cash) revert NotEnoughCash(amount, cash);
        cash -= amount;
    }

    function _takeCollateral(address borrower, uint256 amount) private {
        uint256 held = collateralOf[borrower];
        if (amount > held) revert NotEnoughCollateral(amount, held);
        collateralOf[borrower] = held - amount;
    }

    function _checkLimit(address borrower) private view {
        uint256 owed = debtOf(borrower);
        if (owed == 0) return;
        uint256 value = _debtValue(owed);
        uint256 limit = (_collateralValue(collateralOf[borrower]) * ltvBps) / 10_000;
        if (value > limit) revert OverLimit(value, limit);
    }

    /// Dollars with eight decimals, rounded down.
    function _collateralValue(uint256 amount) private view returns (uint256) {
        return amount == 0 ? 0 : (amount * oracle.price(address(collateral))) / collateralUnit;
    }

    /// Dollars with eight decimals, rounded up.
    function _debtValue(uint256 amount) private view returns (uint256) {
        return amount == 0 ? 0 : Math.ceilDiv(amount * oracle.price(address(debt)), debtUnit);
    }

    function _owed(uint256 scaled, uint256 index) private pure returns (uint256) {
        return Math.ceilDiv(scaled * index, ONE);
    }
}
