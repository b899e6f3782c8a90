// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {LaunchToken} from "./LaunchToken.sol";

interface IRouter {
    function factory() external view returns (address);

    function addLiquidityETH(
        address token,
        uint256 amountTokenDesired,
        uint256 amountTokenMin,
        uint256 amountETHMin,
        address to,
        uint256 deadline
    ) external payable returns (uint256 amountToken, uint256 amountETH, uint256 liquidity);
}

interface IFactory {
    function getPair(address tokenA, address tokenB) external view returns (address);
}

/// Tokens sold on a linear curve: with `sold` units (18 decimals) out, a whole token costs
/// basePriceWei + slopeWei * sold / 1e18 wei. The curve's reserve is the area below that line.
/// Rounding is always against the caller, so the reserve covers every sale.
/// When a token has raised graduationWei, all of it goes into its pair together with newly minted
/// tokens at the curve's last price, and the liquidity is burnt by sending it to a dead address.
contract Launchpad {
    struct Launch {
        address creator;
        uint256 sold;
        uint256 raisedWei;
        address pair;
    }

    address public constant DEAD = 0x000000000000000000000000000000000000dEaD;

    IRouter public immutable router;
    address public immutable wrapped;
    uint256 public immutable basePriceWei;
    uint256 public immutable slopeWei;
    uint256 public immutable graduationWei;
    uint256 public immutable feeBps;
    address public immutable owner;

    uint256 public feesWei;
    address[] public tokens;
    mapping(address => Launch) public launches;

    event Created(address indexed token, address indexed creator, string name, string symbol);
    event Bought(address indexed token, address indexed buyer, uint256 paidWei, uint256 feeWei, uint256 amount);
    event Sold(address indexed token, address indexed seller, uint256 amount, uint256 paidWei, uint256 feeWei);
    event Graduated(address indexed token, address indexed pair, uint256 raisedWei, uint256 amount, uint256 liquidity);
    event FeesCollected(address indexed to, uint256 amountWei);

    error BadTerms();
    error UnknownToken();
    error AlreadyGraduated();
    error TooLittle(uint256 out, uint256 minOut);
    error NotEnoughSold(uint256 wanted, uint256 sold);
    error NotOwner();
    error NotRouter();

    constructor(
        IRouter router_,
        address wrapped_,
        uint256 basePriceWei_,
        uint256 slopeWei_,
        uint256 graduationWei_,
        uint256 feeBps_
    ) {
        if (basePriceWei_ == 0 || slopeWei_ == 0 || feeBps_ > 10_000) revert BadTerms();
        router = router_;
        wrapped = wrapped_;
        basePriceWei = basePriceWei_;
        slopeWei = slopeWei_;
        graduationWei = graduationWei_;
        feeBps = feeBps_;
        owner = msg.sender;
    }

    /// What the router gives back when a pair had another price than the curve; it counts as fees.
    receive() external payable {
        if (msg.sender != address(router)) revert NotRouter();
        feesWei += msg.value;
    }

    function launched() external view returns (uint256) {
        return tokens.length;
    }

    /// The reserve that `sold` units need, in wei, rounded up.
    function reserveAt(uint256 sold) public view returns (uint256) {
        return Math.ceilDiv(sold * (2e18 * basePriceWei + slopeWei * sold), 2e36);
    }

    /// The most units a reserve of `raisedWei` covers: the positive root of the curve, rounded down.
    function soldAt(uint256 raisedWei) public view returns (uint256) {
        uint256 start = 1e18 * basePriceWei;
        return (Math.sqrt(start * start + 2e36 * slopeWei * raisedWei) - start) / slopeWei;
    }

    /// The wei a whole token costs with `sold` units out, rounded down.
    function priceAt(uint256 sold) public view returns (uint256) {
        return basePriceWei + (slopeWei * sold) / 1e18;
    }

    function create(string calldata name, string calldata symbol) external returns (address token) {
        token = address(new LaunchToken(name, symbol));
        launches[token].creator = msg.sender;
        tokens.push(token);
        emit Created(token, msg.sender, name, symbol);
    }

    /// Buy with the native coin sent, fee included. A purchase that reaches the goal graduates the token.
    function buy(address token, uint256 minOut) external payable returns (uint256 amount) {
        Launch storage launch = _open(token);
        uint256 fee = (msg.value * feeBps) / 10_000;
        uint256 raised = launch.raisedWei + msg.value - fee;
        uint256 sold = soldAt(raised);
        amount = sold - launch.sold;
        if (amount == 0 || amount < minOut) revert TooLittle(amount, minOut);
        launch.sold = sold;
        launch.raisedWei = raised;
        feesWei += fee;
        LaunchToken(token).mint(msg.sender, amount);
        emit Bought(token, msg.sender, msg.value, fee, amount);
        if (raised >= graduationWei) _graduate(token, launch);
    }

    /// Sell back to the curve; no approval is needed.
    function sell(address token, uint256 amount, uint256 minOut) external returns (uint256 paidWei) {
        Launch storage launch = _open(token);
        if (amount > launch.sold) revert NotEnoughSold(amount, launch.sold);
        uint256 kept = reserveAt(launch.sold - amount);
        uint256 gross = launch.raisedWei - kept;
        uint256 fee = (gross * feeBps) / 10_000;
        paidWei = gross - fee;
        if (paidWei == 0 || paidWei < minOut) revert TooLittle(paidWei, minOut);
        launch.sold -= amount;
        launch.raisedWei = kept;
        feesWei += fee;
        LaunchToken(token).burn(msg.sender, amount);
        emit Sold(token, msg.sender, amount, paidWei, fee);
        Address.sendValue(payable(msg.sender), paidWei);
    }

    function collectFees(address payable to) external returns (uint256 amountWei) {
        if (msg.sender != owner) revert NotOwner();
        amountWei = feesWei;
        feesWei = 0;
        emit FeesCollected(to, amountWei);
        Address.sendValue(to, amountWei);
    }

    function _open(address token) private view returns (Launch storage launch) {
        launch = launches[token];
        if (launch.creator == address(0)) revert UnknownToken();
        if (launch.pair != address(0)) revert AlreadyGraduated();
    }

    /// Until the pair is known the launch is closed by naming the launchpad itself as its pair.
    function _graduate(address token, Launch storage launch) private {
        launch.pair = address(this);
        uint256 raised = launch.raisedWei;
        uint256 amount = (raised * 1e18) / priceAt(launch.sold);
        LaunchToken(token).mint(address(this), amount);
        LaunchToken(token).approve(address(router), amount);
        (uint256 used, , uint256 liquidity) = router.addLiquidityETH{value: raised}(
            token,
            amount,
            0,
            0,
            DEAD,
            block.timestamp
        );
        if (used < amount) LaunchToken(token).burn(address(this), amount - used);
        launch.pair = IFactory(router.factory()).getPair(token, wrapped);
        emit Graduated(token, launch.pair, raised, used, liquidity);
    }
}
